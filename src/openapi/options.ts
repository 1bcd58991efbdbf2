/** What documents are made of. */

import type { Names } from '../names/names.ts'
import type { TypeRegistry } from '../types/resource.ts'

export interface OpenApiDocument {
  readonly bytes: Buffer
  /** Upper-case hex: the ETag, and `hash` in the index. */
  readonly hash: string
}

export interface OpenApiOptions {
  readonly names: Names
  /** What is served changes with the definitions of custom resources; a type that stays is the same object. */
  readonly types: TypeRegistry
  readonly gitVersion: string
  /** Upper-case hex digest of a document. */
  readonly hash: (bytes: Buffer) => string
}

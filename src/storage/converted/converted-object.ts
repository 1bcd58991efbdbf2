/** A stored object as one of its versions shows it. */

import type { Key, Revision } from '../../../store/contract.ts'
import type { CachedObject, Labels } from '../contract.ts'
import { parseObject } from '../record.ts'

export class ConvertedObject implements CachedObject {
  /** What is stored. Selectors look at it. */
  readonly source: CachedObject
  readonly json: Buffer
  readonly isStale: boolean

  constructor(source: CachedObject, json: Buffer, isStale: boolean) {
    this.source = source
    this.json = json
    this.isStale = isStale
  }

  get key(): Key {
    return this.source.key
  }

  get namespace(): string {
    return this.source.namespace
  }

  get name(): string {
    return this.source.name
  }

  get revision(): Revision {
    return this.source.revision
  }

  labels(): Labels {
    return this.source.labels()
  }

  field(name: string): string {
    return this.source.field(name)
  }

  /** The same object where `source` is the same but for its revision. */
  of(source: CachedObject): ConvertedObject {
    const object = parseObject(this)
    object.metadata.resourceVersion = String(source.revision)
    return new ConvertedObject(source, Buffer.from(JSON.stringify(object)), this.isStale)
  }
}

/** What is stored of it. */
export function sourceOf(object: CachedObject): CachedObject {
  return object instanceof ConvertedObject ? object.source : object
}

import type { Names } from '../names/names.ts'
import type { DefaultRule } from '../schema/defaults.ts'

/** What default rules depend on beside the object. */
export interface DefaultOptions {
  readonly names: Names
  isGateOpen(gate: string): boolean
}

/** The rules of one group of types, by message id. */
export type DefaultRules = (options: DefaultOptions) => Readonly<Record<string, DefaultRule>>

/** What a file beside the schemas says of one resource; `modules.ts` finds it by the resource's storage prefix. */

import type { Names } from '../names/names.ts'
import type { ApiObject } from './object.ts'
import type { ScaleAdapter, Strategy } from './resource.ts'

/** What is not data: everything a {@link Strategy} can do. */
export type StrategyRules = Partial<
  Pick<
    Strategy,
    | 'gracePeriodSeconds'
    | 'endsAtOnce'
    | 'prepareForCreate'
    | 'beginDeletion'
    | 'addsOnCreate'
    | 'prepareForUpdate'
    | 'prepareForStatus'
    | 'keptByStatus'
    | 'finalizersWithoutDomain'
    | 'changeFirst'
    | 'generationOfAnnotations'
    | 'load'
    | 'validate'
    | 'validateCreate'
    | 'validateUpdate'
    | 'validateStatusUpdate'
    | 'warnings'
    | 'selectableFields'
    | 'ttlMs'
    | 'keepsStatusOnCreate'
  >
>

export interface TypeModule {
  readonly strategy?: StrategyRules
  /** Rules of one served version, by its message: they take the place of the same rules of `strategy`. */
  readonly served?: Readonly<Record<string, StrategyRules>>
  readonly scale?: ScaleAdapter
  /** By the version that is not the stored one. */
  readonly conversions?: Readonly<Record<string, Conversion>>
}

/** Between a served version and the stored one. Sets everything but apiVersion and kind; may change what it is handed. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject
  fromStorage(object: ApiObject): ApiObject
}

export interface ModuleOptions {
  readonly names: Names
  /** Events live this long after their last write. Milliseconds. */
  readonly eventTtlMs: number
  isGateOpen(gate: string): boolean
}

export type ModuleFactory = (options: ModuleOptions) => TypeModule

import type { Cause } from '../../status/status.ts'
import type { Schema } from './json-schema.ts'

export function unprunedDefaults(_schema: Schema): boolean {
  return false
}

export function defaultCauses(_schema: Schema, _path: string, _pruned: boolean): readonly Cause[] {
  return []
}

/** Causes beside the ones of every verb. */

import type { Cause } from '../../status/status.ts'

/** The value names something that is not there. */
export function notFound(field: string, value: unknown): Cause {
  return { reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(value)}`, field }
}

export function tooMany(field: string, actual: number, max: number): Cause {
  return {
    reason: 'FieldValueTooMany',
    message: `Too many: ${actual}: must have at most ${max} items`,
    field,
  }
}

/** An object whose members do not go together: it is not shown. */
export function invalidObject(field: string, detail: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field }
}

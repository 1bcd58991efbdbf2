/** The query parameters of writes. Source: specification, "Query parameters", "Update rules". */

import { fail, ok } from '../../store/contract.ts'
import { managerOf } from '../apply/manager-name.ts'
import type { Query } from '../pipeline/query.ts'
import { invalidValue, notSupported, tooLong } from '../status/causes.ts'
import { invalid } from '../status/failures.ts'
import type { Cause } from '../status/status.ts'
import type { ApiRequest, Checked } from './machinery.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  /** Everything but storage. */
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** '' = to be inferred from the user agent. */
  readonly fieldManager: string
}

const fieldManagerBytesMax = 128
const usual: WriteOptions = { dryRun: false, fieldValidation: 'Warn', fieldManager: '' }
const validations: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict']

/** `kind` names the options in messages: `CreateOptions`, `UpdateOptions`, `PatchOptions`. */
export function writeOptions(
  query: Query,
  queryText: string,
  kind: string,
  metaGroup: string,
): Checked<WriteOptions> {
  if (queryText === '') return ok(usual)
  const causes: Cause[] = [...dryRunCauses(query.all('dryRun'))]
  const validation = query.text('fieldValidation') ?? ''
  const fieldValidation = validation === '' ? 'Warn' : validations.find((one) => one === validation)
  if (fieldValidation === undefined) causes.push(notSupported('fieldValidation', validation, validations))
  const fieldManager = query.text('fieldManager') ?? ''
  causes.push(...managerCauses(fieldManager))
  if (causes.length > 0 || fieldValidation === undefined)
    return fail(invalid({ group: metaGroup, kind }, '', causes))
  return ok({ dryRun: isDryRun(query.all('dryRun')), fieldValidation, fieldManager })
}

export function isDryRun(values: readonly string[]): boolean {
  return values.includes('All')
}

export function dryRunCauses(values: readonly string[]): readonly Cause[] {
  const foreign = values.find((value) => value !== '' && value !== 'All')
  return foreign === undefined ? [] : [notSupported('dryRun', foreign, ['All'])]
}

/** The name under which the fields of a write are owned. */
export function managerName({ exchange }: ApiRequest, { fieldManager }: WriteOptions): string {
  return managerOf(fieldManager, exchange.header('user-agent'))
}

const unprintable = /\p{C}/u

function managerCauses(manager: string): readonly Cause[] {
  if (Buffer.byteLength(manager) > fieldManagerBytesMax)
    return [tooLong('fieldManager', fieldManagerBytesMax)]
  return unprintable.test(manager)
    ? [invalidValue('fieldManager', manager, 'should only contain printable characters')]
    : []
}

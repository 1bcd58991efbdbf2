/** The query parameters of writes. Source: specification, "Query parameters", "Update rules". */

import { fail, ok } from '../../store/contract.ts'
import type { WriteOperationOptions } from '../admission/admission.ts'
import { fieldManagerCauses, managerOf } from '../apply/manager-name.ts'
import type { Query } from '../pipeline/query.ts'
import { forbiddenField, notSupported } from '../status/causes.ts'
import { invalid } from '../status/failures.ts'
import type { Cause } from '../status/status.ts'
import type { ApiRequest, Checked } from './machinery.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export type WriteOptionsKind = WriteOperationOptions['kind']

export interface WriteOptions extends WriteOperationOptions {
  readonly fieldValidation: FieldValidation
}

const usual: Readonly<Record<WriteOptionsKind, WriteOptions>> = {
  CreateOptions: { kind: 'CreateOptions', dryRun: false, fieldValidation: 'Warn', fieldManager: '' },
  UpdateOptions: { kind: 'UpdateOptions', dryRun: false, fieldValidation: 'Warn', fieldManager: '' },
  PatchOptions: { kind: 'PatchOptions', dryRun: false, fieldValidation: 'Warn', fieldManager: '' },
}
const validations: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict']

/** `kind` names the options in messages. An apply needs a manager, and alone may use force. */
export function writeOptions(
  query: Query,
  queryText: string,
  kind: WriteOptionsKind,
  metaGroup: string,
  isApply = false,
): Checked<WriteOptions> {
  if (queryText === '' && !isApply) return ok(usual[kind])
  const causes: Cause[] = []
  if (kind === 'PatchOptions' && !isApply && query.text('force') !== undefined)
    causes.push(forbiddenField('force', 'may not be specified for non-apply patch'))
  const fieldManager = query.text('fieldManager') ?? ''
  causes.push(...fieldManagerCauses(fieldManager, isApply), ...dryRunCauses(query.all('dryRun')))
  const validation = query.text('fieldValidation') ?? ''
  const fieldValidation = validation === '' ? 'Warn' : validations.find((one) => one === validation)
  if (fieldValidation === undefined) causes.push(notSupported('fieldValidation', validation, validations))
  if (causes.length > 0 || fieldValidation === undefined)
    return fail(invalid({ group: metaGroup, kind }, '', causes))
  const force = isApply ? query.flag('force') : undefined
  return ok({
    kind,
    dryRun: isDryRun(query.all('dryRun')),
    fieldValidation,
    fieldManager,
    ...(force === undefined ? {} : { force }),
  })
}

/** `dryRun=All`, given once or several times. */
export function isDryRun(values: readonly string[]): boolean {
  return values.includes('All')
}

export function dryRunCauses(values: readonly string[]): readonly Cause[] {
  const isKnown = values.every((value) => value === '' || value === 'All')
  return isKnown ? [] : [notSupported('dryRun', values, ['All'])]
}

/** The name under which the fields of a write are owned. */
export function managerName({ exchange }: ApiRequest, { fieldManager }: WriteOptions): string {
  return managerOf(fieldManager, exchange.header('user-agent'))
}

/** Columns of webhook configurations and admission policies. */

import { isJsonObject } from '../../json.ts'
import { ageColumn, countCell, nameColumn } from '../columns/common.ts'
import { textAt } from '../columns/read.ts'
import { integer, type Row, type TableColumns, tableOf, text } from '../columns/table.ts'
import { selectorDump } from './selector-dump.ts'

const webhooks: TableColumns = tableOf([
  nameColumn,
  integer('Webhooks', 'Number of its webhooks.', countCell('webhooks')),
  ageColumn,
])

function paramKind({ spec }: Row): string {
  const kind = spec['paramKind']
  return isJsonObject(kind) ? `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}` : '<unset>'
}

function paramRef({ spec }: Row): string {
  const reference = spec['paramRef']
  const name = textAt(reference, 'name')
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`
  const selector = isJsonObject(reference) ? reference['selector'] : undefined
  return isJsonObject(selector) ? selectorDump(selector) : '<unset>'
}

export const admissionregistrationColumns: Readonly<Record<string, TableColumns>> = {
  MutatingWebhookConfiguration: webhooks,
  ValidatingAdmissionPolicy: tableOf([
    nameColumn,
    integer('Validations', 'Number of its rules.', countCell('spec', 'validations')),
    text('ParamKind', 'Kind of the objects that hold its parameters.', paramKind),
    ageColumn,
  ]),
  ValidatingAdmissionPolicyBinding: tableOf([
    nameColumn,
    text('PolicyName', 'Policy that it puts to use.', ({ spec }) => textAt(spec, 'policyName')),
    text('ParamRef', 'Objects that hold the parameters.', paramRef),
    ageColumn,
  ]),
  ValidatingWebhookConfiguration: webhooks,
}

/** Config maps and secrets, whose `immutable: true` is for ever; service accounts. */

import type { JsonObject } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import { draftOf } from '../draft.ts'
import { changedCauses, forbiddenChanges } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { itemsIn, jsonOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkConfigMap, createSecretCheck } from './data-rules.ts'

const detail = 'field is immutable when `immutable` is set'

function frozen(object: ApiObject, old: ApiObject, data: readonly string[]): readonly Cause[] {
  return old['immutable'] === true ? forbiddenChanges(object, old, ['immutable', ...data], detail) : []
}

export const configMap: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => checkConfigMap(causes, jsonOf(object))),
    validateUpdate: (object, old) => frozen(object, old, ['data', 'binaryData']),
  },
})

export const secret: ModuleFactory = ({ names }) => {
  const checkSecret = createSecretCheck(names)
  return {
    strategy: {
      prepareForCreate: mergeStringData,
      prepareForUpdate: mergeStringData,
      validate: validates((causes, object) => checkSecret(causes, jsonOf(object))),
      validateUpdate: (object, old) => [
        ...changedCauses(object, old, ['type']),
        ...frozen(object, old, ['data']),
      ],
    },
  }
}

/** `stringData` is a convenience on input: its texts join `data`, and it is never stored. */
function mergeStringData(object: ApiObject): void {
  const texts = object['stringData']
  delete object['stringData']
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts)) return
  const entries = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ])
  object['data'] = Object.fromEntries([...Object.entries(object['data'] ?? {}), ...entries])
}

export const serviceAccount: ModuleFactory = () => ({
  strategy: { prepareForCreate: keepSecretNames, prepareForUpdate: keepSecretNames },
})

/** Secrets of an account are in its namespace: of the reference to one only the name counts. */
function keepSecretNames(object: ApiObject): void {
  const account = draftOf(object)
  const secrets = itemsIn(jsonOf(object), 'secrets')
  if (secrets.length > 0)
    account['secrets'] = secrets.map(({ name }): JsonObject => (name === undefined ? {} : { name }))
}

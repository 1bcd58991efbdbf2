/** Config maps and secrets, whose `immutable: true` is for ever; service accounts. */

import type { JsonObject } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import { forbiddenField } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { draftOf } from '../draft.ts'
import { changedCauses } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { itemsIn, jsonOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkConfigMap, createSecretCheck } from './data-rules.ts'

const detail = 'field is immutable when `immutable` is set'

function frozen(object: ApiObject, old: ApiObject, data: readonly string[]): readonly Cause[] {
  if (old['immutable'] !== true) return []
  const thawed = object['immutable'] === true ? [] : [forbiddenField('immutable', detail)]
  // An empty text is an entry too.
  const changed = data.filter((name) => !sameJson(object[name] ?? {}, old[name] ?? {}))
  return [...thawed, ...changed.map((name) => forbiddenField(name, detail))]
}

export const configMap: ModuleFactory = () => ({
  strategy: {
    changeFirst: true,
    validate: validates((causes, object) => checkConfigMap(causes, jsonOf(object))),
    validateUpdate: (object, old) => frozen(object, old, ['data', 'binaryData']),
  },
})

export const secret: ModuleFactory = ({ names }) => {
  const checkSecret = createSecretCheck(names)
  return {
    strategy: {
      changeFirst: true,
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

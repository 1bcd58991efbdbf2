/** The option `(resource)` of a message, packed. What it may say: `Resource` in `src/types/options.proto`. Build step only. */

import { isJsonObject, type JsonValue } from '../json.ts'
import type { PackedResource } from './packed.ts'
import { listOfOption, textOf, words } from './source-options.ts'

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

/** @param messageId id of a message that the option names */
export function packResource(
  option: JsonValue,
  message: string,
  messageId: (name: string) => string,
  problem: (what: string) => void,
): PackedResource {
  const said = isJsonObject(option) ? option : {}
  if (textOf(said['plural']) === '') problem('a resource needs a plural')
  const subresources = listOfOption(said['subresources'])
    .filter(isJsonObject)
    .map((sub) => ({
      name: textOf(sub['name']),
      message: sub['kind'] === undefined ? message : messageId(textOf(sub['kind'])),
      verbs: words(sub['verbs']),
    }))
  if (said['status'] === true) subresources.push({ name: 'status', message, verbs: subresourceVerbs })
  if (said['scale'] === true)
    subresources.push({ name: 'scale', message: 'autoscaling/v1.Scale', verbs: subresourceVerbs })
  const nameFormat = said['nameFormat']
  if (nameFormat !== undefined && nameFormat !== 'label' && nameFormat !== 'pathSegment')
    problem(`unknown nameFormat ${JSON.stringify(nameFormat)}`)
  const selectable = listOfOption(said['selectable']).map(textOf)
  return {
    message,
    plural: textOf(said['plural']),
    shortNames: words(said['shortNames']),
    categories: words(said['categories']),
    namespaced: said['namespaced'] === true,
    verbs: said['verbs'] === undefined ? allVerbs : words(said['verbs']),
    subresources: subresources.sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(said['featureGate'] === undefined ? {} : { featureGate: textOf(said['featureGate']) }),
    ...(selectable.length === 0 ? {} : { selectable }),
    ...(said['storedAs'] === undefined ? {} : { storedAs: messageId(textOf(said['storedAs'])) }),
    ...(said['hashVersion'] === undefined ? {} : { hashVersion: textOf(said['hashVersion']) }),
    ...(said['generation'] === true ? { generation: true } : {}),
    ...(said['createOnUpdate'] === true ? { createOnUpdate: true } : {}),
    ...(said['unconditionalUpdate'] === false ? { unconditionalUpdate: false } : {}),
    ...(nameFormat === 'label' || nameFormat === 'pathSegment' ? { nameFormat } : {}),
  }
}

/** The attributes in a review, and what is wrong with them. Source: specification, "Authorization" 10. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { ApiObject, ObjectMeta } from '../../types/object.ts'
import type { RequestAttributes } from '../authorizer.ts'

export function specOf(review: ApiObject): JsonObject {
  return objectOf(review['spec'])
}

/** Absent parts are ''. */
export function reviewedAttributes(spec: JsonObject): RequestAttributes {
  const ofResource = spec['resourceAttributes']
  if (isJsonObject(ofResource)) {
    const text = (field: string) => textOf(ofResource[field])
    return {
      type: 'resource',
      verb: text('verb'),
      group: text('group'),
      version: text('version'),
      namespace: text('namespace'),
      resource: text('resource'),
      subresource: text('subresource'),
      name: text('name'),
    }
  }
  const ofPath = objectOf(spec['nonResourceAttributes'])
  return { type: 'nonResource', verb: textOf(ofPath['verb']), path: textOf(ofPath['path']) }
}

export function attributeCauses(spec: JsonObject): readonly Cause[] {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (isJsonObject(resourceAttributes) && isJsonObject(nonResourceAttributes)) {
    return [
      invalidValue(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    ]
  }
  if (isJsonObject(resourceAttributes) || isJsonObject(nonResourceAttributes)) return []
  return [
    invalidValue(
      'spec.resourceAttributes',
      undefined,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ]
}

/** A review about somebody names them. */
export function subjectCauses({ user, groups }: JsonObject): readonly Cause[] {
  const named = textOf(user) !== '' || (Array.isArray(groups) && groups.length > 0)
  return named ? [] : [invalidValue('spec.user', '', 'at least one of user or group must be specified')]
}

const serverFields = ['creationTimestamp', 'managedFields'] as const

/** A review is no object that could be found again: it has no name. */
export function metadataCauses({ metadata }: ApiObject, namespaced: boolean): readonly Cause[] {
  const rest: ObjectMeta = { ...metadata }
  for (const field of serverFields) delete rest[field]
  if (namespaced) delete rest.namespace
  if (Object.keys(rest).length === 0) return []
  const detail = namespaced ? 'must be empty except for namespace' : 'must be empty'
  return [invalidValue('metadata', rest, detail)]
}

export function objectOf(value: JsonValue | ObjectMeta | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

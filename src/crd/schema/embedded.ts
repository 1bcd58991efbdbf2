/** What is asked of embedded resources (`x-kubernetes-embedded-resource`) beyond their schema: that they say what they are. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { metadataCauses } from '../../registry/metadata-validation.ts'
import { formatPath, type PathSegment } from '../../schema/path.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { ObjectMeta } from '../../types/object.ts'
import { hostLabelProblems, labelNameProblems } from '../../types/validation/names.ts'
import type { Structural } from './structural.ts'
import { visitEmbedded } from './visit-embedded.ts'

/** Of all embedded resources in an object, which has been decoded: their metadata is of the right types. */
export function embeddedCauses(structural: Structural, value: JsonObject): readonly Cause[] {
  const causes: Cause[] = []
  visitEmbedded(structural, value, (resource, path) => causes.push(...resourceCauses(resource, path)))
  return causes
}

const noCauses: readonly Cause[] = []

function resourceCauses(resource: JsonObject, path: readonly PathSegment[]): readonly Cause[] {
  return [
    ...apiVersionCauses(resource['apiVersion'], formatPath([...path, 'apiVersion'])),
    ...kindCauses(resource['kind'], formatPath([...path, 'kind'])),
    ...metaCauses(resource['metadata'], formatPath([...path, 'metadata'])),
  ]
}

const empty = 'must not be empty'

function apiVersionCauses(apiVersion: JsonValue | undefined, field: string): readonly Cause[] {
  if (apiVersion === undefined) return [required(field, empty)]
  if (typeof apiVersion !== 'string') return [invalidValue(field, apiVersion, 'must be a string')]
  if (apiVersion === '') return [invalidValue(field, apiVersion, empty)]
  return apiVersion.split('/').length > 2
    ? [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : noCauses
}

function kindCauses(kind: JsonValue | undefined, field: string): readonly Cause[] {
  if (kind === undefined) return [required(field, empty)]
  if (typeof kind !== 'string') return [invalidValue(field, kind, 'must be a string')]
  if (kind === '') return [invalidValue(field, kind, empty)]
  const problems = hostLabelProblems(kind.toLowerCase())
  return problems.length === 0
    ? noCauses
    : [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)]
}

/** Held to what all metadata is held to, but that it needs no name. */
function metaCauses(metadata: JsonValue | undefined, field: string): readonly Cause[] {
  if (!isJsonObject(metadata)) return noCauses
  // The decoder has checked it.
  const given = metadata as ObjectMeta
  const { name = '', namespace = '' } = given
  const named = { ...given, name: name === '' ? 'unnamed' : name }
  const causes = metadataCauses({ metadata: named }, { strategy: { nameFormat: 'pathSegment' } }).map(
    (cause) => ({
      ...cause,
      field: (cause.field ?? '').replace(/^metadata/, () => field),
    }),
  )
  if (namespace === '') return causes
  const problems = labelNameProblems(namespace)
  return problems.length === 0
    ? causes
    : [invalidValue(`${field}.namespace`, namespace, problems.join('; ')), ...causes]
}

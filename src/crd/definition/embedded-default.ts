/** Whether a default makes good metadata: what stands in an object's apiVersion, kind and metadata has types of its own. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { formatPath } from '../../schema/path.ts'
import type { Cause } from '../../status/status.ts'
import { embeddedCauses } from '../schema/embedded.ts'
import { renderValue } from '../schema/render.ts'
import type { Structural } from '../schema/structural.ts'
import { visitEmbedded } from '../schema/visit-embedded.ts'

/** Fields begin at the value. The first value of a wrong type, or else all that is wrong with them. */
export function metadataCausesOf(structural: Structural, value: JsonObject): readonly Cause[] {
  let first: Cause | undefined
  visitEmbedded(structural, value, (resource, path) => {
    first ??= typeCause(resource, formatPath(path))
  })
  return first === undefined ? embeddedCauses(structural, value) : [first]
}

function typeCause(resource: JsonObject, path: string): Cause | undefined {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const wrong = (name: string, value: JsonValue, detail: string): Cause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${renderValue(value)}: ${detail}`,
    field: at(name),
  })
  for (const name of ['apiVersion', 'kind']) {
    const given = resource[name]
    if (given !== undefined && typeof given !== 'string') return wrong(name, given, 'must be a string')
  }
  const { metadata } = resource
  const problem = metadata === undefined || metadata === null ? undefined : metadataProblem(metadata)
  return problem === undefined ? undefined : wrong('metadata', metadata ?? null, problem)
}

/** What members of metadata are; of those that nobody sets nothing is asked here. */
const types: Readonly<Record<string, 'string' | 'int64' | 'map[string]string' | '[]string'>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int64',
  deletionGracePeriodSeconds: 'int64',
  labels: 'map[string]string',
  annotations: 'map[string]string',
  finalizers: '[]string',
}

function metadataProblem(metadata: JsonValue): string | undefined {
  if (!isJsonObject(metadata))
    return `json: cannot unmarshal ${kindOf(metadata)} into Go value of type v1.ObjectMeta`
  for (const [name, type] of Object.entries(types)) {
    const value = metadata[name]
    if (value === undefined || value === null) continue
    const into = `into Go struct field ObjectMeta.${name} of type`
    const outer = type === 'map[string]string' ? 'object' : type === '[]string' ? 'array' : type
    if (kindOf(value) !== (outer === 'int64' ? 'number' : outer))
      return `json: cannot unmarshal ${kindOf(value)} ${into} ${type}`
    const texts = typeof value === 'object' ? Object.values(value) : []
    const other = texts.find((one) => one !== null && typeof one !== 'string')
    if (other !== undefined) return `json: cannot unmarshal ${kindOf(other)} ${into} string`
  }
  return undefined
}

function kindOf(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

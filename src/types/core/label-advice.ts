/** Labels of nodes that have got other names, wherever pods name them, and constraints that select nothing. */

import type { JsonObject } from '../../json.ts'
import { entriesIn, type Given, has, itemsIn, objectIn, textIn } from '../validation/read.ts'

/** @param path of the spec of a pod */
export type LabelAdvice = (path: string, spec: JsonObject) => readonly string[]

/** @param domain `kubernetes.io` */
export function createLabelAdvice(domain: string): LabelAdvice {
  const rows: readonly (readonly [old: string, since: number, now: string])[] = [
    [`beta.${domain}/arch`, 14, `${domain}/arch`],
    [`beta.${domain}/os`, 14, `${domain}/os`],
    [`failure-domain.beta.${domain}/region`, 17, `topology.${domain}/region`],
    [`failure-domain.beta.${domain}/zone`, 17, `topology.${domain}/zone`],
    [`beta.${domain}/instance-type`, 17, `node.${domain}/instance-type`],
  ]
  const texts = new Map(
    rows.map(([old, since, now]) => [
      old,
      `deprecated since v1.${since}; use ${JSON.stringify(now)} instead`,
    ]),
  )
  const named = (path: string, key: string): readonly string[] => {
    const text = texts.get(key)
    return text === undefined ? [] : [`${path}: ${key} is ${text}`]
  }
  const ofTerm = (path: string, term: Given): readonly string[] =>
    itemsIn(term, 'matchExpressions').flatMap((expression, i) =>
      named(`${path}.matchExpressions[${i}].key`, textIn(expression, 'key')),
    )

  return (path, spec) => {
    const affinity = objectIn(objectIn(spec, 'affinity'), 'nodeAffinity')
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    const at = `${path}.affinity.nodeAffinity`
    return [
      ...entriesIn(spec, 'nodeSelector').flatMap(([key]) => {
        const text = texts.get(key)
        return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`]
      }),
      ...itemsIn(objectIn(affinity, required), 'nodeSelectorTerms').flatMap((term, i) =>
        ofTerm(`${at}.${required}.nodeSelectorTerms[${i}]`, term),
      ),
      ...itemsIn(affinity, preferred).flatMap((term, i) =>
        ofTerm(`${at}.${preferred}[${i}].preference`, objectIn(term, 'preference')),
      ),
      ...itemsIn(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
        const where = `${path}.topologySpreadConstraints[${i}]`
        const selects = has(constraint, 'labelSelector')
        return [
          ...named(`${where}.topologyKey`, textIn(constraint, 'topologyKey')),
          ...(selects ? [] : [`${where}.labelSelector: a null labelSelector results in matching no pod`]),
        ]
      }),
    ]
  }
}

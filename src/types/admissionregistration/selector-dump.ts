/** A label selector in the form in which tables of policy bindings show it: every member, spelled out. */

import type { JsonObject } from '../../json.ts'
import { entriesAt, objectsAt, textAt, textsAt } from '../columns/read.ts'

export function selectorDump(selector: JsonObject): string {
  const labels = entriesAt(selector, 'matchLabels').map(([key, value]) => `${key}: ${value},`)
  const expressions = objectsAt(selector, 'matchExpressions').map(
    (one) =>
      `LabelSelectorRequirement{Key:${textAt(one, 'key')},Operator:${textAt(one, 'operator')},Values:[${textsAt(one, 'values').join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

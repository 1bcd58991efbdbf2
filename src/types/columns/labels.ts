/** Labels and label selectors as people write them: `app=web,tier in (a,b),!old`. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { labelKeyProblems, labelValueProblems } from '../../storage/selector/label-syntax.ts'
import { entriesAt, objectsAt, textAt, textsAt } from './read.ts'

/** `a=1,b=2`, sorted by key; `<none>` when there are none. */
export function labelsText(labels: JsonValue | undefined): string {
  const entries = entriesAt(labels)
  return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(',')
}

/** A label selector; `<none>` when it has no requirements, `<error>` when it is not a proper one. */
export function selectorText(selector: JsonValue | undefined): string {
  const written = requirementTexts(selector)
  if (written === undefined) return '<error>'
  return written.length === 0 ? '<none>' : written.join(',')
}

/** The same, '' when it has no requirements, `<invalid>` when it is not a proper one. */
export function bareSelectorText(selector: JsonValue | undefined): string {
  return requirementTexts(selector)?.join(',') ?? '<invalid>'
}

interface Written {
  readonly key: string
  readonly text: string
}

/** Sorted by key. Undefined = some requirement is not a proper one. */
function requirementTexts(selector: JsonValue | undefined): readonly string[] | undefined {
  if (!isJsonObject(selector)) return []
  const written: Written[] = []
  for (const [key, value] of entriesAt(selector, 'matchLabels')) {
    if (!isProper(key, [value])) return undefined
    written.push({ key, text: `${key}=${value}` })
  }
  for (const requirement of objectsAt(selector, 'matchExpressions')) {
    const text = expressionText(requirement)
    if (text === undefined) return undefined
    written.push({ key: textAt(requirement, 'key'), text })
  }
  return written.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ text }) => text)
}

function expressionText(requirement: JsonObject): string | undefined {
  const key = textAt(requirement, 'key')
  const values = textsAt(requirement, 'values')
  if (!isProper(key, values)) return undefined
  switch (requirement['operator']) {
    case 'In':
      return values.length === 0 ? undefined : `${key} in (${values.toSorted().join(',')})`
    case 'NotIn':
      return values.length === 0 ? undefined : `${key} notin (${values.toSorted().join(',')})`
    case 'Exists':
      return values.length === 0 ? key : undefined
    case 'DoesNotExist':
      return values.length === 0 ? `!${key}` : undefined
    default:
      return undefined
  }
}

function isProper(key: string, values: readonly string[]): boolean {
  return labelKeyProblems(key).length === 0 && values.every((value) => labelValueProblems(value).length === 0)
}

/** Labels, annotations and selectors inside objects: of templates, selectors, affinities. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, required, tooLong } from '../../status/causes.ts'
import { type Causes, checkText } from './checks.ts'
import { labelValueProblems, qualifiedNameProblems } from './names.ts'
import { entriesIn, type Given, itemsIn, objectIn, textIn, textsIn } from './read.ts'

/** A map of labels. */
export function checkLabels(causes: Causes, path: string, object: Given, name: string): void {
  for (const [key, value] of entriesIn(object, name)) {
    checkText(causes, `${path}.${name}`, key, qualifiedNameProblems)
    checkText(causes, `${path}.${name}`, String(value), labelValueProblems)
  }
}

const annotationBytesMax = 256 * 1024

export function checkAnnotations(causes: Causes, path: string, object: Given): void {
  let bytes = 0
  for (const [key, value] of entriesIn(object, 'annotations')) {
    for (const problem of qualifiedNameProblems(key.toLowerCase()))
      causes.push(invalidValue(`${path}.annotations`, key, problem))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value))
  }
  if (bytes > annotationBytesMax) causes.push(tooLong(`${path}.annotations`, annotationBytesMax))
}

/** Labels and annotations of the metadata of a template. */
export function checkTemplateMetadata(causes: Causes, path: string, template: Given): void {
  const metadata = objectIn(template, 'metadata')
  if (metadata === undefined) return
  checkLabels(causes, `${path}.metadata`, metadata, 'labels')
  checkAnnotations(causes, `${path}.metadata`, metadata)
}

/** A LabelSelector. */
export function checkSelector(causes: Causes, path: string, selector: Given): void {
  if (selector === undefined) return
  checkLabels(causes, path, selector, 'matchLabels')
  for (const [i, expression] of itemsIn(selector, 'matchExpressions').entries()) {
    checkExpression(causes, `${path}.matchExpressions[${i}]`, expression)
  }
}

/** Says what is wrong with a LabelSelector, and whether it selects anything. */
export function isValidSelector(causes: Causes, path: string, selector: Given): boolean {
  const before = causes.length
  checkSelector(causes, path, selector)
  return causes.length === before
}

function checkExpression(causes: Causes, path: string, expression: JsonObject): void {
  const values = textsIn(expression, 'values')
  const operator = textIn(expression, 'operator')
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        causes.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        causes.push(
          forbiddenField(
            `${path}.values`,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          ),
        )
      break
    default:
      causes.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  checkText(causes, `${path}.key`, textIn(expression, 'key'), qualifiedNameProblems)
  for (const [i, value] of values.entries()) {
    checkText(causes, `${path}.values[${i}]`, value, labelValueProblems)
  }
}

/** Does it select everything, for it asks for nothing? */
export function isEmptySelector(selector: Given): boolean {
  return entriesIn(selector, 'matchLabels').length === 0 && itemsIn(selector, 'matchExpressions').length === 0
}

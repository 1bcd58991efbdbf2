/** Printed columns. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { textIn } from '../../types/validation/read.ts'
import { checkSimplePath } from './simple-path.ts'

const types = ['boolean', 'date', 'integer', 'number', 'string']
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function checkColumns(causes: Causes, path: string, columns: readonly JsonObject[]): void {
  for (const [i, column] of columns.entries()) checkColumn(causes, `${path}[${i}]`, column)
}

function checkColumn(causes: Causes, path: string, column: JsonObject): void {
  if (textIn(column, 'name') === '') causes.push(required(`${path}.name`))
  const type = textIn(column, 'type')
  const known = `must be one of ${types.join(',')}`
  if (type === '') causes.push(required(`${path}.type`, known))
  else if (!types.includes(type)) causes.push(invalidValue(`${path}.type`, type, known))
  const format = textIn(column, 'format')
  if (format !== '' && !formats.includes(format))
    causes.push(invalidValue(`${path}.format`, format, `must be one of ${formats.join(',')}`))
  // Clients know the path spelled so.
  const at = `${path}.JSONPath`
  const jsonPath = textIn(column, 'jsonPath')
  if (jsonPath === '') causes.push(required(at))
  else checkSimplePath(causes, at, jsonPath)
}

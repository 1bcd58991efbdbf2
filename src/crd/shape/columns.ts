/**
 * Columns of custom resources: the name, and what the version's `additionalPrinterColumns` lead to.
 *
 * Source: specification, "Table representation"; apiextensions.k8s.io/v1, CustomResourceColumnDefinition.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { canonicalTime } from '../../schema/time.ts'
import { nameColumn } from '../../types/columns/common.ts'
import { age } from '../../types/columns/duration.ts'
import { numberAt, objectsAt, textAt } from '../../types/columns/read.ts'
import { type Column, type Row, type TableColumns, tableOf } from '../../types/columns/table.ts'
import { findAll } from './json-path/find.ts'
import type { PathNode } from './json-path/nodes.ts'
import { parseJsonPath } from './json-path/parse.ts'
import { printedText } from './json-path/print.ts'

const creation: JsonObject = {
  name: 'Age',
  type: 'date',
  description: 'Time at which the server created the object.',
  jsonPath: '.metadata.creationTimestamp',
}

/**
 * `version`: one of `spec.versions` of a definition. Cells are made from objects in that version. Where a path cannot be read, it and the
 * columns behind it are left out.
 */
export function printedColumns(version: JsonObject): TableColumns {
  const said = objectsAt(version, 'additionalPrinterColumns')
  const columns = [nameColumn]
  for (const definition of said.length === 0 ? [creation] : said) {
    const path = parseJsonPath(textAt(definition, 'jsonPath'))
    if (!path.ok) break
    columns.push(printedColumn(definition, path.value))
  }
  return tableOf(columns)
}

const types: ReadonlySet<string> = new Set<Column['type']>(['string', 'integer', 'number', 'boolean', 'date'])

function isType(type: string): type is Column['type'] {
  return types.has(type)
}

function printedColumn(definition: JsonObject, path: readonly PathNode[]): Column {
  const said = textAt(definition, 'type')
  const type = isType(said) ? said : 'string'
  const jsonPath = textAt(definition, 'jsonPath')
  return {
    name: textAt(definition, 'name'),
    type,
    format: textAt(definition, 'format'),
    description:
      textAt(definition, 'description') ||
      `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: numberAt(definition, 'priority'),
    cell: ({ object, nowMs }) => {
      const found = findAll(path, object)
      // Paths lead to one value; of several the first is shown.
      const [value] = found.ok ? found.value : []
      return value === undefined ? null : cellOf(type, value, nowMs)
    },
  }
}

/** Null where the value is not of the type of its column; texts take anything. */
function cellOf(type: Column['type'], value: JsonValue, nowMs: Row['nowMs']): JsonValue {
  switch (type) {
    case 'string':
      return printedText(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, nowMs) : null
  }
}

function ageOf(time: string, nowMs: number): string {
  if (time === '' || time === 'null') return age(undefined, nowMs)
  const canonical = canonicalTime(time)
  return canonical === undefined ? '<invalid>' : age(canonical, nowMs)
}

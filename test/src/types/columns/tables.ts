/** Tables as stories: what columns a kind has, and what stands in them for an object. Objects are written as YAML. */

import type { Test } from 'tap'
import { parse } from 'yaml'
import { createNames } from '../../../../src/names/names.ts'
import { createColumns } from '../../../../src/types/columns/columns.ts'
import type { ColumnDefinition } from '../../../../src/types/columns/table.ts'
import type { ApiObject } from '../../../../src/types/object.ts'

const names = createNames('kubernetes')
const columnsOf = createColumns(names)

/** The hour after objects of these stories are created. */
export const nowMs = Date.parse('2024-01-01T01:00:00Z')

export interface TableStory {
  /** `apps/Deployment`; the core group is ''. */
  readonly kind: string
  /** In order; `*` marks those of wide output, `:type` those that are not text. */
  readonly columns: string
  readonly rows: readonly {
    readonly title: string
    /** Without apiVersion and kind; named `a` and an hour old unless it says otherwise. */
    readonly object: string
    readonly cells: readonly unknown[]
  }[]
}

export function tellTables(t: Test, stories: readonly TableStory[]): void {
  for (const { kind, columns, rows } of stories) {
    const table = tableOf(kind)
    t.equal(table.definitions.map(written).join(', '), columns, `${kind}: columns`)
    t.ok(
      table.definitions.every(({ description }) => description.endsWith('.')),
      `${kind}: every column is described`,
    )
    for (const { title, object, cells } of rows) {
      t.same(table.cells(read(object), nowMs), cells, `${kind}: ${title}`)
    }
  }
}

export function tableOf(kind: string) {
  const at = kind.lastIndexOf('/')
  return columnsOf({ group: at < 0 ? '' : kind.slice(0, at), kind: kind.slice(at + 1) })
}

export function read(yaml: string): ApiObject {
  const { metadata, ...rest } = parse(yaml) ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Any',
    ...rest,
    metadata: { name: 'a', namespace: 'default', creationTimestamp: '2024-01-01T00:00:00Z', ...metadata },
  }
}

function written({ name, type, format, priority }: ColumnDefinition): string {
  const identifies = format === 'name' && name !== 'Name' ? '(name)' : ''
  return `${name}${identifies}${type === 'string' ? '' : `:${type}`}${priority === 0 ? '' : '*'}`
}

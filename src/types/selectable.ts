/** Values of selectable fields, as field selectors compare them: texts, read at the paths that the schema names. */

import { isJsonObject, type JsonValue } from '../json.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { ApiObject } from './object.ts'

const always: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace'])

/** Reads the fields of objects of `message`; paths that the schema does not have read as ''. */
export function selectableReader(
  message: MessageType,
  paths: readonly string[],
): (object: ApiObject) => Record<string, string> {
  // Made at the first use: looking into the message loads its schema.
  let readers: readonly { path: string; steps: string[]; absent: string }[] | undefined
  return (object) => {
    readers ??= paths
      .filter((path) => !always.has(path))
      .map((path) => ({ path, steps: path.split('.'), absent: zeroText(message, path.split('.')) }))
    const values: Record<string, string> = {}
    for (const { path, steps, absent } of readers) values[path] = textAt(object, steps) ?? absent
    return values
  }
}

/** What an absent value reads as: the zero value of its type. */
function zeroText(message: MessageType, [name = '', ...rest]: readonly string[]): string {
  const type = message.jsonFields.get(name)?.type
  if (type === undefined) return ''
  if (type.kind === 'message') return zeroText(type.message, rest)
  if (type.kind !== 'scalar' || rest.length > 0) return ''
  if (type.scalar === 'bool') return 'false'
  return type.scalar === 'int32' || type.scalar === 'int64' ? '0' : ''
}

function textAt(object: ApiObject, steps: readonly string[]): string | undefined {
  let value: JsonValue | ApiObject['metadata'] | undefined = object[steps[0] ?? '']
  for (const step of steps.slice(1)) value = isJsonObject(value) ? value[step] : undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

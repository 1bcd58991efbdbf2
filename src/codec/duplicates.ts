/**
 * Members of JSON objects that are named more than once. A parser keeps the last and says nothing, so the text is
 * asked: counting the colons outside its strings and the members of the value tells cheaply that there is no
 * duplicate; only where the counts differ is the text walked with a path in hand.
 *
 * Source: specification, "Update rules" 3; RFC 8259, section 4.
 */

import { isJsonObject, type JsonValue } from '../json.ts'
import { formatPath } from '../schema/path.ts'

/** More are not told. */
const duplicatesMax = 100

/** Paths of the duplicates in a valid JSON text, in its order. `value` is what the text was parsed to. */
export function duplicateJsonFields(bytes: Buffer, value: JsonValue): readonly string[] {
  // What is looked for is ASCII: a character for each byte will do, and costs no decoding.
  return colonsOf(bytes.toString('latin1')) === membersOf(value) ? [] : walk(bytes.toString('utf8'))
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]

function colonsOf(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === colon) count++
    else if (code === quote) at = stringEnd(text, at)
  }
  return count
}

/** Index of the quote that ends the string: the next one that is not escaped. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** An odd number of backslashes stands ahead. */
function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text.charCodeAt(from - 1) === backslash) from--
  return (at - from) % 2 === 1
}

function membersOf(value: JsonValue): number {
  let count = 0
  if (Array.isArray(value)) for (const element of value) count += membersOf(element)
  else if (isJsonObject(value)) for (const name in value) count += 1 + membersOf(value[name] ?? null)
  return count
}

/** An object (names seen) or an array (index) that is open at some place of the text. */
interface Open {
  readonly names: Set<string> | undefined
  /** Of the member or element that the place is in. */
  at: string | number
}

const token = /[{}[\],]|"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

function walk(text: string): readonly string[] {
  const open: Open[] = []
  const found: string[] = []
  for (const [word, names] of text.matchAll(token)) {
    const inner = open.at(-1)
    if (word === '{') open.push({ names: new Set(), at: '' })
    else if (word === '[') open.push({ names: undefined, at: 0 })
    else if (word === '}' || word === ']') open.pop()
    else if (word === ',' && typeof inner?.at === 'number') inner.at++
    else if (names !== undefined && inner?.names !== undefined) {
      const name: unknown = JSON.parse(word.slice(0, -names.length))
      inner.at = String(name)
      if (inner.names.has(inner.at)) found.push(formatPath(open.map(({ at }) => at)))
      if (found.length === duplicatesMax) return found
      inner.names.add(inner.at)
    }
  }
  return found
}

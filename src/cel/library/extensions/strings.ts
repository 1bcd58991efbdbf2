/** The strings library, version 2: positions count code points. */

import { escapes } from '../../../escapes.ts'
import { codePoints, sizeOf } from '../../values/compare.ts'
import { isInt } from '../../values/int.ts'
import { ArrayList, CelError, CelList, noSuchOverload, type Value } from '../../values/value.ts'
import {
  type CostOf,
  define,
  type Library,
  traversal,
  traverseFirst,
  traverseFirstTwice,
} from '../library.ts'
import { format } from './format.ts'
import { charactersOf, outOfRange } from './text.ts'

function charAt(text: Value, index: Value): Value {
  if (typeof text !== 'string' || !isInt(index)) return noSuchOverload
  const characters = charactersOf(text)
  if (index < 0 || index > characters.size) return outOfRange(index)
  return characters.slice(Number(index), Number(index) + 1)
}

function indexOf(text: Value, part: Value, from: Value): Value {
  if (typeof text !== 'string' || typeof part !== 'string') return noSuchOverload
  const start = isInt(from) ? from : 0
  if (part === '') return start
  const characters = charactersOf(text)
  if (start < 0 || start >= characters.size) return isInt(from) ? outOfRange(start) : -1
  const found = text.indexOf(part, characters.offsetOf(Number(start)))
  return found < 0 ? -1 : characters.indexOf(found)
}

function lastIndexOf(text: Value, part: Value, from: Value): Value {
  if (typeof text !== 'string' || typeof part !== 'string') return noSuchOverload
  const characters = charactersOf(text)
  const start = isInt(from) ? from : characters.size
  if (part === '') return start
  if (isInt(from) && (start < 0 || start >= characters.size)) return outOfRange(start)
  const found = text.lastIndexOf(part, characters.offsetOf(Number(start)))
  return found < 0 ? -1 : characters.indexOf(found)
}

function substring(text: Value, start: Value, end: Value): Value {
  if (typeof text !== 'string' || !isInt(start)) return noSuchOverload
  const characters = charactersOf(text)
  if (!isInt(end)) {
    return start < 0 || start > characters.size
      ? outOfRange(start)
      : characters.slice(Number(start), characters.size)
  }
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > characters.size) return outOfRange(start)
  if (end < 0 || end > characters.size) return outOfRange(end)
  return characters.slice(Number(start), Number(end))
}

/** The first `limit` occurrences; negative = all. An empty `part` is between all characters. */
function replace(text: Value, part: Value, by: Value, limit: Value): Value {
  if (typeof text !== 'string' || typeof part !== 'string' || typeof by !== 'string') return noSuchOverload
  const most = isInt(limit) && limit >= 0 ? Number(limit) : Number.POSITIVE_INFINITY
  if (most === 0) return text
  if (part === '') return interleave(text, by, most)
  let replaced = ''
  let at = 0
  for (let count = 0; count < most; count++) {
    const found = text.indexOf(part, at)
    if (found < 0) break
    replaced += text.slice(at, found) + by
    at = found + part.length
  }
  return replaced + text.slice(at)
}

function interleave(text: string, by: string, most: number): string {
  const points = [...text]
  let replaced = ''
  for (let index = 0; index <= points.length; index++) {
    replaced += (index < most ? by : '') + (points[index] ?? '')
  }
  return replaced
}

/** Reads and writes, and more where the result outgrows the text. */
const replaceCost: CostOf = (text, part, by) => {
  if (typeof text !== 'string' || typeof part !== 'string') return 1
  const base = traverseFirstTwice(text, null, null)
  const grown = sizeOf(by) - part.length
  if (grown <= 0) return base
  const occurrences = part === '' ? text.length + 1 : Math.floor(text.length / part.length)
  return Math.max(base, traversal(text.length + occurrences * grown))
}

/** At most `limit` parts, the last with the rest; negative = all, 0 = none. */
function split(text: Value, separator: Value, limit: Value): Value {
  if (typeof text !== 'string' || typeof separator !== 'string') return noSuchOverload
  const parts = separator === '' ? [...text] : text.split(separator)
  if (!isInt(limit) || limit < 0 || limit >= parts.length) return new ArrayList(parts)
  if (limit === 0) return new ArrayList([])
  const kept = Number(limit) - 1
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)])
}

function join(list: Value, separator: Value): Value {
  if (!(list instanceof CelList)) return noSuchOverload
  const parts: string[] = []
  for (let index = 0; index < list.size; index++) {
    const part = list.at(index)
    if (typeof part !== 'string') return part instanceof CelError ? part : new CelError('join: invalid input')
    parts.push(part)
  }
  return parts.join(typeof separator === 'string' ? separator : '')
}

const joinCost: CostOf = (list, separator) => {
  if (!(list instanceof CelList)) return 1
  let size = Math.max(0, list.size - 1) * (typeof separator === 'string' ? codePoints(separator) : 0)
  for (let index = 0; index < list.size; index++) size += sizeOf(list.at(index))
  return Math.ceil(size * 0.2)
}

function mapped(convert: (text: string) => string): (text: Value) => Value {
  return (text) => (typeof text === 'string' ? convert(text) : noSuchOverload)
}

const lower = mapped((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()))
const upper = mapped((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()))
// what Unicode calls White_Space: JavaScript counts the byte order mark too, and leaves out U+0085
const trim = mapped((text) =>
  text
    .replace(/^(?:[^\S\ufeff]|\u0085)+/, '')
    .replace(/(?<!(?:[^\S\ufeff]|\u0085))(?:[^\S\ufeff]|\u0085)+$/, ''),
)

/** As a literal of the language. Lone surrogates become U+FFFD. */
const quote = mapped((text) => {
  const escaped = [...text].map((character) => escapes.get(character) ?? character).join('')
  return `"${Buffer.from(escaped, 'utf8').toString('utf8')}"`
})

/** The template, and what is filled in. */
const formatCost: CostOf = (template, args) => {
  let size = sizeOf(template)
  if (args instanceof CelList)
    for (let index = 0; index < args.size; index++) size += sizeOf(args.at(index)) - 1
  return traversal(size)
}

export const stringsLibrary: Library = {
  name: 'strings',
  overloads: [
    define('string.charAt(int): string', charAt),
    define('string.indexOf(string): int', indexOf, traverseFirst),
    define('string.indexOf(string, int): int', indexOf, traverseFirst),
    define('string.lastIndexOf(string): int', lastIndexOf, traverseFirst),
    define('string.lastIndexOf(string, int): int', lastIndexOf, traverseFirst),
    define('string.substring(int): string', substring, traverseFirst),
    define('string.substring(int, int): string', substring, traverseFirst),
    define('string.replace(string, string): string', replace, replaceCost),
    define('string.replace(string, string, int): string', replace, replaceCost),
    define('string.split(string): list(string)', split, traverseFirstTwice),
    define('string.split(string, int): list(string)', split, traverseFirstTwice),
    define('list(string).join(): string', join, joinCost),
    define('list(string).join(string): string', join, joinCost),
    define('string.lowerAscii(): string', lower, traverseFirst),
    define('string.upperAscii(): string', upper, traverseFirst),
    define('string.trim(): string', trim, traverseFirst),
    define('string.format(list(dyn)): string', format, formatCost),
    define('strings.quote(string): string', quote, traverseFirst),
  ],
}

/**
 * The formats that texts of custom resources are held to; others are a note for people. Sources: RFC 3339 (date,
 * date-time), RFC 1034 (hostname), RFC 4632 (cidr), RFC 4648 (byte), ISO 2108 (isbn), and what Go's standard library and
 * the formats of OpenAPI that clients of this API know make of the rest.
 */

import { parseAddress } from '../../ip.ts'
import { canonicalScalars } from '../../schema/scalars.ts'
import { parseRange } from '../../types/validation/ip.ts'
import { isDate, isDateTime, isDuration } from './format-times.ts'
import { isEmail, isRequestUri } from './format-uris.ts'

type FormatCheck = (text: string) => boolean

/** As written in the schema when values are held to it; else undefined. */
export function servedFormat(format: string | undefined): string | undefined {
  return format !== undefined && checks.has(plain(format)) ? format : undefined
}

/** Of a format that is served. */
export function formatCheck(format: string): FormatCheck | undefined {
  return checks.get(plain(format))
}

/** `date-time` is `datetime`. */
function plain(format: string): string {
  return format.replaceAll('-', '')
}

const matching =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text)

const part = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])'
const space = '[\\t\\n\\f\\r ]*'
const rgb = new RegExp(`^rgb\\(${space}${part}${space},${space}${part}${space},${space}${part}${space}\\)$`)

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseAddress(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseAddress(text, 'refused') !== undefined],
  ['cidr', (text) => parseRange(text) !== undefined],
  ['mac', isMac],
  ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^(?=.{11}$)\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', matching(rgb)],
  ['byte', (text) => text !== '' && canonicalScalars.bytes(text) !== undefined],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
])

const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || !hostname.test(text)) return false
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63)
}

/** Of 6, 8 or 20 bytes: `00:00:5e:00:53:01`, `00-00-…`, `0000.5e00.5301`. */
function isMac(text: string): boolean {
  const inBytes = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*$/i.test(text)
  if (inBytes) return [6, 8, 20].includes((text.length + 1) / 3)
  const inPairs = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i.test(text)
  return inPairs && [3, 4, 10].includes((text.length + 1) / 5)
}

const filler = /[\t\n\f\r -]+/g

function isIsbn10(text: string): boolean {
  const digits = text.replace(filler, '')
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < 10; at++) sum += (at + 1) * (digits[at] === 'X' ? 10 : Number(digits[at]))
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(filler, '')
  if (!/^\d{13}$/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < 13; at++) sum += (at % 2 === 0 ? 1 : 3) * Number(digits[at])
  return sum % 10 === 0
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/

/** Whatever stands between the digits; the last of them is Luhn's. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!cards.test(digits)) return false
  let sum = 0
  for (let back = 0; back < digits.length; back++) {
    const digit = Number(digits[digits.length - 1 - back])
    const counted = back % 2 === 1 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}

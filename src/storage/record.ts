/**
 * The stored form of an object, and the object as the cache keeps it.
 *
 *     byte 0    1          5           9            9+head            9+head+hole
 *     ┌────────┬──────────┬───────────┬────────────┬─────────────────┬──────────────────┐
 *     │ 1      │ head u32 │ hole u32  │ head JSON  │ …"resourceVersion":"      "…  object JSON
 *     └────────┴──────────┴───────────┴────────────┴─────────────────┴──────────────────┘
 *
 * `head` is what selectors need, `[labels, fields]` or `[labels, fields, form]`; `hole` is where the resource version is written into the JSON.
 * Reading an object is a copy with the revision in the middle: no parse.
 */

import type { Corrupt, Key, KeyValue, Result, Revision } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import { isJsonObject } from '../json.ts'
import type { ApiObject, ObjectMeta } from '../types/object.ts'
import type { CachedObject, Labels, NewRecord } from './contract.ts'
import { emptyHead, type Head, headText, noHead, parseHead } from './head.ts'
import { nameOfKey } from './keys.ts'

const formatVersion = 1
const fixedBytes = 9
const quote = 0x22

interface RecordInput {
  /** Normalised, of the storage version. Its resourceVersion, if any, is not stored. */
  readonly object: ApiObject
  /** Selectable fields beside metadata.name and metadata.namespace; empty values may be left out. */
  readonly fields?: Readonly<Record<string, string>>
  /** Removes the object this long after the write: milliseconds, ≥ 1000. */
  readonly ttlMs?: number
  /** Of a custom resource: names the schema that the object was written by. `[-\w]+`. */
  readonly form?: string
}

/** Writes an object down, once: these bytes are stored, cached, and sent. */
export function encodeRecord({ object, fields, ttlMs, form }: RecordInput): NewRecord {
  const cut = cutAtHole(object) ?? splitAtHole(object)
  const head = headText(object.metadata.labels, fields, form)
  const record = encodeAscii(cut, head) ?? encodeText(cut, head)
  return ttlMs === undefined ? { record } : { record, ttlMs }
}

/** The JSON text around the member `metadata.resourceVersion`: up to `until`, with no comma ahead of it, and from `from`. */
interface Cut {
  readonly text: string
  readonly until: number
  readonly from: number
}

const versionStart = '"resourceVersion":"'

function encodeText({ text, until, from }: Cut, head: string): Buffer {
  const before = text.slice(0, until)
  const after = text.slice(from)
  const headBytes = Buffer.byteLength(head)
  const holeAt = Buffer.byteLength(before) + versionStart.length
  const record = Buffer.allocUnsafe(fixedBytes + headBytes + holeAt + 1 + Buffer.byteLength(after))
  writeHead(record, head, headBytes, holeAt)
  record.write(before, fixedBytes + headBytes)
  record.write(after, fixedBytes + headBytes + holeAt + 1)
  return record
}

/** The same where a character is a byte, as nearly always: the text is written in one piece, then opened at the hole. */
function encodeAscii({ text, until, from }: Cut, head: string): Buffer | undefined {
  const headBytes = head.length
  const jsonAt = fixedBytes + headBytes
  const holeAt = until + versionStart.length
  const textAt = jsonAt + holeAt + 1 - from
  if (textAt < 0 || Buffer.byteLength(text) !== text.length || Buffer.byteLength(head) !== headBytes)
    return undefined
  const record = Buffer.allocUnsafe(textAt + text.length)
  record.write(text, textAt, 'latin1')
  record.copyWithin(jsonAt, textAt, textAt + until)
  writeHead(record, head, headBytes, holeAt)
  return record
}

/** All but the text around the hole. */
function writeHead(record: Buffer, head: string, headBytes: number, holeAt: number): void {
  const hole = fixedBytes + headBytes + holeAt
  record[0] = formatVersion
  record.writeUInt32BE(headBytes, 1)
  record.writeUInt32BE(holeAt, 5)
  record.write(head, fixedBytes)
  record.write(versionStart, hole - versionStart.length, 'latin1')
  record[hole] = quote
}

/**
 * Cuts the text of the whole object behind its uid. Undefined = that place cannot be told from the text alone: there
 * is no uid, or one that no server made, the version stands elsewhere, or a member ahead of the uid is more than a
 * text. (Inside a text a quote is escaped, so the uid's member cannot be found too early.)
 */
function cutAtHole(object: ApiObject): Cut | undefined {
  const { metadata } = object
  const { uid, resourceVersion } = metadata
  if (uid === undefined || uid.includes('"') || uid.includes('\\')) return undefined
  if (!onlyTextsAhead(object, 'metadata') || !onlyTextsAhead(metadata, 'uid')) return undefined
  const text = JSON.stringify(object)
  const mark = `"uid":"${uid}"`
  const found = text.indexOf(mark)
  const cut = found + mark.length
  // With the comma behind the uid: there is one, unless nothing follows in the metadata.
  if (found < 0 || text[cut] !== ',') return undefined
  if (resourceVersion === undefined) return { text, until: cut + 1, from: cut }
  const stands = `"resourceVersion":"${resourceVersion}"`
  if (!text.startsWith(stands, cut + 1)) return undefined
  return { text, until: cut + 1, from: cut + 1 + stands.length }
}

function onlyTextsAhead(object: ApiObject | ObjectMeta, name: string): boolean {
  const members = object as Readonly<Record<string, unknown>> // both are plain objects; members are only looked at
  for (const member in members) {
    if (member === name) return true
    if (typeof members[member] !== 'string') return false
  }
  return false
}

/** The same with every member written by itself; the version stands after uid, as clients know it. */
function splitAtHole(object: ApiObject): Cut {
  const [ahead, behind] = splitFields(object, 'metadata', 'kind')
  const [aheadInMeta, behindInMeta] = splitFields(object.metadata, 'resourceVersion', 'uid')
  const outer = withoutBraces(JSON.stringify(ahead))
  const inner = withoutBraces(JSON.stringify(aheadInMeta))
  const innerRest = withoutBraces(JSON.stringify(behindInMeta))
  const outerRest = withoutBraces(JSON.stringify(behind))
  const before = `{${outer}${comma(outer)}"metadata":{${inner}${comma(inner)}`
  const after = `${comma(innerRest)}${innerRest}}${comma(outerRest)}${outerRest}}`
  return { text: before + after, until: before.length, from: before.length }
}

/** Fields before and after `name`; where `name` is absent it counts as standing behind `orBehind`, or at the end. */
function splitFields(object: ApiObject | ObjectMeta, name: string, orBehind: string) {
  const parts: [Record<string, unknown>, Record<string, unknown>] = [Object.create(null), Object.create(null)]
  const absent = !Object.hasOwn(object, name)
  let part = 0
  for (const [field, value] of Object.entries(object)) {
    if (field === name) {
      part = 1
      continue
    }
    parts[part === 0 ? 0 : 1][field] = value
    if (absent && field === orBehind) part = 1
  }
  return parts
}

const withoutBraces = (text: string): string => text.slice(1, -1)
const comma = (neighbour: string): string => (neighbour === '' ? '' : ',')

/**
 * One allocation holds the JSON and, behind it, the head, so that an object costs little beside its bytes.
 */
export class StoredObject implements CachedObject {
  readonly key: Key
  readonly namespace: string
  readonly name: string
  readonly revision: Revision
  readonly json: Buffer
  readonly #holeAt: number
  readonly #headBytes: number
  #head: Head | undefined

  constructor(
    id: { readonly key: Key; readonly namespace: string; readonly name: string; readonly revision: Revision },
    json: Buffer,
    holeAt: number,
    headBytes: number,
  ) {
    this.key = id.key
    this.namespace = id.namespace
    this.name = id.name
    this.revision = id.revision
    this.json = json
    this.#holeAt = holeAt
    this.#headBytes = headBytes
    this.#head = headBytes === noHead.length ? emptyHead : undefined
  }

  labels(): Labels {
    return this.#parsedHead()
  }

  field(name: string): string {
    if (name === 'metadata.name') return this.name
    if (name === 'metadata.namespace') return this.namespace
    return this.#parsedHead().field(name) ?? ''
  }

  /** The same object with another resource version: as a deletion shows it. */
  at(revision: Revision): StoredObject {
    const { json } = this
    const behindHole = this.#holeAt + String(this.revision).length
    const whole = Buffer.from(json.buffer, json.byteOffset, json.length + this.#headBytes)
    const tail = whole.subarray(json.length)
    const spliced = splice(json.subarray(0, this.#holeAt), revision, json.subarray(behindHole), tail)
    const { key, namespace, name } = this
    return new StoredObject({ key, namespace, name, revision }, spliced, this.#holeAt, this.#headBytes)
  }

  /** Takes over the head that was parsed for another version of the object, where it is the same text. */
  inherit(previous: StoredObject): void {
    const head = previous.#head
    if (head === undefined || this.#head !== undefined || this.#headBytes !== previous.#headBytes) return
    if (this.#headText().equals(previous.#headText())) this.#head = head
  }

  #parsedHead(): Head {
    this.#head ??= parseHead(this.#headText().toString('utf8'))
    return this.#head
  }

  #headText(): Buffer {
    return Buffer.from(this.json.buffer, this.json.byteOffset + this.json.length, this.#headBytes)
  }
}

/** `before` + revision + `after`, with `tail` in the same allocation behind the end of the result. */
function splice(before: Buffer, revision: Revision, after: Buffer, tail: Buffer): Buffer {
  const digits = String(revision)
  const jsonBytes = before.length + digits.length + after.length
  const bytes = Buffer.allocUnsafeSlow(jsonBytes + tail.length)
  before.copy(bytes, 0)
  bytes.write(digits, before.length, 'latin1')
  after.copy(bytes, before.length + digits.length)
  tail.copy(bytes, jsonBytes)
  return bytes.subarray(0, jsonBytes)
}

/** Reads a stored value. Fails with Corrupt when it is not a whole record of this format. */
export function decodeRecord(
  prefix: string,
  { key, value, modRevision }: KeyValue,
): Result<StoredObject, Corrupt> {
  const damage = damageOf(value)
  if (damage !== undefined) return fail({ code: 'Corrupt', where: key, message: damage })
  const headBytes = value.readUInt32BE(1)
  const holeAt = value.readUInt32BE(5)
  const jsonAt = fixedBytes + headBytes
  const json = splice(
    value.subarray(jsonAt, jsonAt + holeAt),
    modRevision,
    value.subarray(jsonAt + holeAt),
    value.subarray(fixedBytes, jsonAt),
  )
  const { namespace, name } = nameOfKey(prefix, key)
  return ok(new StoredObject({ key, namespace, name, revision: modRevision }, json, holeAt, headBytes))
}

/** True = the object was written in this form. The value has been decoded before. */
export function hasForm(value: Buffer, form: string): boolean {
  const end = `,"${form}"]`
  const headEnd = fixedBytes + value.readUInt32BE(1)
  return value.toString('latin1', Math.max(fixedBytes, headEnd - end.length), headEnd) === end
}

/** What is wrong with the outer form of a record; the store's checksums answer for the bytes inside. */
function damageOf(value: Buffer): string | undefined {
  if (value.length < fixedBytes + noHead.length + 2) return `record of ${value.length} bytes is cut short`
  if (value[0] !== formatVersion) return `record has format ${value[0]}, expected ${formatVersion}`
  const jsonAt = fixedBytes + value.readUInt32BE(1)
  const holeAt = jsonAt + value.readUInt32BE(5)
  if (holeAt >= value.length || holeAt <= jsonAt) return 'record is shorter than its offsets say'
  if (value[jsonAt - 1] !== 0x5d || value[jsonAt] !== 0x7b) return 'record has no object behind its head'
  if (value[holeAt - 1] !== quote || value[holeAt] !== quote)
    return 'record has no place for the resource version'
  if (value[value.length - 1] !== 0x7d) return 'record does not end with its object'
  return undefined
}

/** The object's JSON as a value, for the verbs that change it. A bug (throws) when it is not an object. */
export function parseObject(object: CachedObject): ApiObject {
  const value: JsonValue = JSON.parse(object.json.toString('utf8'))
  if (!isApiObject(value)) throw new TypeError(`${object.key} holds no API object`)
  return value
}

/** Has the envelope of every object. */
export function isApiObject(value: unknown): value is ApiObject {
  return (
    isJsonObject(value) &&
    typeof value['apiVersion'] === 'string' &&
    typeof value['kind'] === 'string' &&
    isJsonObject(value['metadata'])
  )
}

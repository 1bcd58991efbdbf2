/**
 * The stored form of an object, and the object as the cache keeps it.
 *
 *     byte 0    1          5           9            9+head            9+head+hole
 *     ┌────────┬──────────┬───────────┬────────────┬─────────────────┬──────────────────┐
 *     │ 1      │ head u32 │ hole u32  │ head JSON  │ …"resourceVersion":"      "…  object JSON
 *     └────────┴──────────┴───────────┴────────────┴─────────────────┴──────────────────┘
 *
 * `head` is what selectors need, `[labels, fields]`; `hole` is where the resource version is written into the JSON.
 * Reading an object is a copy with the revision in the middle: no parse.
 */

import type { Corrupt, Key, KeyValue, Result, Revision } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import { isJsonObject } from '../json.ts'
import type { ApiObject, ObjectMeta } from '../types/object.ts'
import type { CachedObject, Draft } from './contract.ts'
import { nameOfKey } from './keys.ts'

const formatVersion = 1
const fixedBytes = 9
const quote = 0x22
const noHead = '[]'

export interface DraftInput {
  /** Normalised, of the storage version. Its resourceVersion, if any, is not stored. */
  readonly object: ApiObject
  /** Selectable fields beside metadata.name and metadata.namespace; empty values may be left out. */
  readonly fields?: Readonly<Record<string, string>>
  /** Removes the object this long after the write: milliseconds, ≥ 1000. */
  readonly ttlMs?: number
}

/** Writes an object down, once: these bytes are stored, cached, and sent. */
export function encodeDraft({ object, fields, ttlMs }: DraftInput): Draft {
  const { before, after } = cutAtHole(object) ?? splitAtHole(object)
  const head = headText(object.metadata.labels, fields)
  const headBytes = Buffer.byteLength(head)
  const beforeBytes = Buffer.byteLength(before)
  const holeAt = beforeBytes + versionStart.length
  const record = Buffer.allocUnsafe(fixedBytes + headBytes + holeAt + 1 + Buffer.byteLength(after))
  record[0] = formatVersion
  record.writeUInt32BE(headBytes, 1)
  record.writeUInt32BE(holeAt, 5)
  record.write(head, fixedBytes)
  record.write(before, fixedBytes + headBytes)
  record.write(versionStart, fixedBytes + headBytes + beforeBytes, 'latin1')
  const behind = fixedBytes + headBytes + holeAt
  record[behind] = quote
  record.write(after, behind + 1)
  return ttlMs === undefined ? { record } : { record, ttlMs }
}

/** The JSON text around the member `metadata.resourceVersion`, with no comma ahead of it. */
interface Cut {
  readonly before: string
  readonly after: string
}

const versionStart = '"resourceVersion":"'

/**
 * Cuts the text of the whole object behind its uid. Undefined = that place cannot be told from the text alone: there
 * is no uid, the version stands elsewhere, or a member ahead of the uid is more than a text. (Inside a text a quote is
 * escaped, so the uid's member cannot be found too early.)
 */
function cutAtHole(object: ApiObject): Cut | undefined {
  const { metadata } = object
  const { uid, resourceVersion } = metadata
  if (uid === undefined || !onlyTextsAhead(object, 'metadata') || !onlyTextsAhead(metadata, 'uid'))
    return undefined
  const text = JSON.stringify(object)
  const mark = `"uid":${JSON.stringify(uid)}`
  const cut = text.indexOf(mark) + mark.length
  // With the comma behind the uid: there is one, unless nothing follows in the metadata.
  if (text[cut] !== ',') return undefined
  if (resourceVersion === undefined) return { before: text.slice(0, cut + 1), after: text.slice(cut) }
  const stands = `"resourceVersion":${JSON.stringify(resourceVersion)}`
  if (!text.startsWith(stands, cut + 1)) return undefined
  return { before: text.slice(0, cut + 1), after: text.slice(cut + 1 + stands.length) }
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
  return {
    before: `{${outer}${comma(outer)}"metadata":{${inner}${comma(inner)}`,
    after: `${comma(innerRest)}${innerRest}}${comma(outerRest)}${outerRest}}`,
  }
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

function headText(labels: ObjectMeta['labels'], fields: DraftInput['fields']): string {
  const labelPairs = labels === undefined ? [] : Object.entries(labels)
  const fieldPairs = fields === undefined ? [] : Object.entries(fields).filter(([, value]) => value !== '')
  return labelPairs.length + fieldPairs.length === 0 ? noHead : JSON.stringify([labelPairs, fieldPairs])
}

interface Head {
  readonly labels: ReadonlyMap<string, string>
  readonly fields: ReadonlyMap<string, string>
}

const emptyHead: Head = { labels: new Map(), fields: new Map() }

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

  labels(): ReadonlyMap<string, string> {
    return this.#parsedHead().labels
  }

  field(name: string): string {
    if (name === 'metadata.name') return this.name
    if (name === 'metadata.namespace') return this.namespace
    return this.#parsedHead().fields.get(name) ?? ''
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

  #parsedHead(): Head {
    this.#head ??= parseHead(
      Buffer.from(this.json.buffer, this.json.byteOffset + this.json.length, this.#headBytes),
    )
    return this.#head
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

function parseHead(bytes: Buffer): Head {
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  if (!Array.isArray(value)) throw new TypeError('head of a record is not a list')
  const [labels, fields] = value
  return { labels: pairsToMap(labels), fields: pairsToMap(fields) }
}

function pairsToMap(pairs: unknown): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  if (!Array.isArray(pairs)) return map
  for (const pair of pairs) {
    if (Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string') {
      map.set(pair[0], pair[1])
    }
  }
  return map
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

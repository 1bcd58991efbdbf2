/** Serves the discovery documents, each made on first use and kept as bytes while the same types are served. */

import { createHash } from 'node:crypto'
import { type Encoding, encodingOf, mediaTypesOf, parseAccept } from '../codec/accept.ts'
import { encodeDocument } from '../codec/protobuf/documents.ts'
import { objectWriter } from '../codec/protobuf/encode.ts'
import { toIndented } from '../codec/rendering.ts'
import { formatYaml } from '../codec/yaml.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { type Answer, failureAnswer } from '../pipeline/answer.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { Query } from '../pipeline/query.ts'
import { wantsPretty } from '../registry/respond.ts'
import { notAcceptable } from '../status/failures.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import type { TypeRegistry } from '../types/resource.ts'
import {
  type Address,
  aggregatedList,
  coreVersions,
  groupDocument,
  groupList,
  namedGroups,
  resourceList,
} from './documents.ts'

export interface Discovery {
  /** Undefined = nothing is there. */
  serve(path: string, exchange: Exchange, query: Query): Answer | undefined
}

interface Document {
  readonly json: Buffer
  /** Strong, by content: clients keep what they have. */
  readonly etag: string
}

type Maker = () => object

export function createDiscovery(types: TypeRegistry, names: Names, address: Address): Discovery {
  const mediaTypes = mediaTypesOf(names)
  const current = madeOfTypes(types, () => ({
    makers: makersOf(types, names, address),
    documents: new Map<string, Document>(),
  }))

  function documentAt(id: string): Document | undefined {
    const { makers, documents } = current()
    const known = documents.get(id)
    if (known !== undefined) return known
    const make = makers.get(id)
    if (make === undefined) return undefined
    const json = Buffer.from(JSON.stringify(make()))
    const etag = `"${createHash('sha256').update(json).digest('hex').slice(0, 40).toUpperCase()}"`
    const document = { json, etag }
    documents.set(id, document)
    return document
  }

  return {
    serve(path, exchange, query) {
      if (!current().makers.has(path)) return undefined
      const form = negotiate(exchange.header('accept') ?? '', names, isAggregatable(path))
      if (form === undefined) return failureAnswer(notAcceptable(mediaTypes))
      const document = documentAt(form.aggregated === undefined ? path : `${path};${form.aggregated}`)
      if (document === undefined) return undefined
      return documentAnswer(document, form, types, names, wantsPretty(exchange, query), exchange)
    },
  }
}

/** By path; the aggregated forms by `path;version`. */
function makersOf(types: TypeRegistry, names: Names, address: Address): ReadonlyMap<string, Maker> {
  const makers = new Map<string, Maker>([
    ['/api', () => coreVersions(types, address)],
    ['/apis', () => groupList(types)],
  ])
  for (const version of aggregatedVersions) {
    makers.set(`/api;${version}`, () => aggregatedList(types, names, true, version))
    makers.set(`/apis;${version}`, () => aggregatedList(types, names, false, version))
  }
  for (const { group, versions } of types.groups) {
    for (const version of versions) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      makers.set(path, () => resourceList(types, group, version))
    }
  }
  for (const group of namedGroups(types)) makers.set(`/apis/${group.group}`, () => groupDocument(group))
  return makers
}

const aggregatedVersions = ['v2', 'v2beta1']

function isAggregatable(path: string): boolean {
  return path === '/api' || path === '/apis'
}

interface Form {
  readonly encoding: Encoding
  /** Version of the aggregated form; undefined = the plain documents. */
  readonly aggregated: string | undefined
}

const offer = { yaml: true, protobuf: true }

function negotiate(accept: string, names: Names, aggregatable: boolean): Form | undefined {
  if (accept === '') return { encoding: 'json', aggregated: undefined }
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding = encodingOf(type, names, offer)
    const as = parameters.get('as')
    if (encoding === undefined) continue
    if (as === undefined) return { encoding, aggregated: undefined }
    const version = parameters.get('v') ?? ''
    const known =
      as === 'APIGroupDiscoveryList' &&
      parameters.get('g') === `apidiscovery.${names.groupDomain}` &&
      aggregatedVersions.includes(version)
    if (known && aggregatable) return { encoding, aggregated: version }
  }
  return undefined
}

function documentAnswer(
  { json, etag }: Document,
  form: Form,
  types: TypeRegistry,
  names: Names,
  readable: boolean,
  exchange: Exchange,
): Answer {
  const contentType = contentTypeOf(form.encoding, names)
  if (form.aggregated === undefined)
    return { type: 'body', code: 200, contentType, body: encoded(json, form, types, readable) }
  const unchanged = exchange.header('if-none-match') === etag
  return {
    type: 'body',
    code: unchanged ? 304 : 200,
    contentType: `${contentType};${aggregatedParameters(names, form.aggregated)}`,
    body: unchanged ? Buffer.alloc(0) : encoded(json, form, types, false),
    headers: { ETag: etag, Vary: 'Accept' },
  }
}

function contentTypeOf(encoding: Encoding, names: Names): string {
  return encoding === 'protobuf' ? names.protobufMediaType : `application/${encoding}`
}

function encoded(json: Buffer, form: Form, types: TypeRegistry, readable: boolean): Buffer {
  switch (form.encoding) {
    case 'json':
      return readable ? toIndented(json) : json
    case 'yaml':
      return Buffer.from(formatYaml(JSON.parse(json.toString('utf8'))))
    case 'protobuf':
      return toProtobuf(JSON.parse(json.toString('utf8')), form, types)
  }
}

/** The kind of a document names its message. */
function toProtobuf(object: JsonObject, { aggregated }: Form, types: TypeRegistry): Buffer {
  const { kind, apiVersion } = object
  const message = types.message(
    `${aggregated === undefined ? 'meta/v1' : `apidiscovery/${aggregated}`}.${String(kind)}`,
  )
  // The oldest document does not say its version in JSON.
  const typeMeta = { apiVersion: typeof apiVersion === 'string' ? apiVersion : 'v1', kind: String(kind) }
  return encodeDocument(typeMeta, objectWriter(message), object)
}

/** Clients tell the aggregated form by these parameters of the answer's type. */
function aggregatedParameters(names: Names, version: string): string {
  return `g=apidiscovery.${names.groupDomain};v=${version};as=APIGroupDiscoveryList`
}

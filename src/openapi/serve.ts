/**
 * Serves the OpenAPI documents: each is made on first request and then kept, and told apart by its hash.
 *
 *     /openapi/v3                          index: path → URL with hash
 *     /openapi/v3/apis/apps/v1?hash=<h>    the document, good for a year under this URL
 *     /openapi/v3/apis/apps/v1?hash=<old>  301 to the URL with the hash of today
 *     /openapi/v2                          everything in one document
 *
 * Source: specification, "Versioning"; RFC 9110, section 13.1.2 (If-None-Match); RFC 8246 (immutable).
 */

import { parseAccept } from '../codec/accept.ts'
import { type Answer, failureAnswer } from '../pipeline/answer.ts'
import type { Exchange, Headers } from '../pipeline/exchange.ts'
import type { Query } from '../pipeline/query.ts'
import { notAcceptable } from '../status/failures.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { createOpenApiVersion2 } from './version2.ts'
import { createOpenApiVersion3 } from './version3.ts'

export interface OpenApi {
  /** Undefined = nothing is there. */
  serve(path: string, exchange: Exchange, query: Query): Answer | undefined
}

interface OpenApiServing extends OpenApiOptions {
  /** Milliseconds since the epoch: for the end of what clients may keep. */
  readonly wallMs: () => number
}

const jsonType = 'application/json'
/** As clients name it in their Accept header, in lower case. */
const protobufType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
/** What the answer says: an @ cannot stand in a media type, RFC 6838, section 4.2. */
const protobufAnswerType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const keptMs = 365 * 24 * 3600 * 1000

export function createOpenApi(options: OpenApiServing): OpenApi {
  const version2 = createOpenApiVersion2(options)
  const version3 = createOpenApiVersion3(options)
  const find = (path: string): OpenApiDocument | undefined => {
    if (path === '/openapi/v2') return version2.json()
    if (path === '/openapi/v3') return version3.index()
    return path.startsWith('/openapi/v3/') ? version3.document(path.slice('/openapi/v3/'.length)) : undefined
  }
  return {
    serve(path, exchange, query) {
      if (!path.startsWith('/openapi/')) return undefined
      const document = find(path)
      if (document === undefined) return undefined
      const type = negotiate(exchange, path === '/openapi/v2' ? [jsonType, protobufType] : [jsonType])
      if (type === undefined) return failureAnswer(notAcceptable([jsonType]))
      if (type === protobufType) return documentAnswer(version2.protobuf(), protobufAnswerType, exchange, {})
      const wanted = path.startsWith('/openapi/v3/') ? (query.text('hash') ?? '') : ''
      if (wanted !== '' && wanted !== document.hash) return moved(`${path}?hash=${document.hash}`)
      return documentAnswer(document, type, exchange, wanted === '' ? {} : immutable(options.wallMs()))
    },
  }
}

/** The first type that the client takes of those there are; undefined = none. */
function negotiate(exchange: Exchange, offered: readonly string[]): string | undefined {
  const accept = exchange.header('accept') ?? ''
  if (accept === '') return offered[0]
  for (const { type } of parseAccept(accept)) {
    if (type === '*/*' || type === 'application/*') return offered[0]
    if (offered.includes(type)) return type
  }
  return undefined
}

function moved(location: string): Answer {
  return {
    type: 'body',
    code: 301,
    contentType: 'text/plain; charset=utf-8',
    body: Buffer.alloc(0),
    headers: { Location: location },
  }
}

function immutable(nowMs: number): Headers {
  return { 'Cache-Control': 'public, immutable', Expires: new Date(nowMs + keptMs).toUTCString() }
}

function documentAnswer(
  { bytes, hash }: OpenApiDocument,
  contentType: string,
  exchange: Exchange,
  caching: Headers,
): Answer {
  const unchanged = namesTag(exchange.header('if-none-match') ?? '', hash)
  return {
    type: 'body',
    code: unchanged ? 304 : 200,
    contentType,
    body: unchanged ? Buffer.alloc(0) : bytes,
    headers: { ETag: `"${hash}"`, Vary: 'Accept', ...caching },
  }
}

/** A list of tags, weak ones among them, or `*`. */
function namesTag(header: string, hash: string): boolean {
  return header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === `"${hash}"`)
}

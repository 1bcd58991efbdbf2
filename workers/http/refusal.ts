/** Answers that a transport gives by itself, before the API sees the request: `Status` objects like all others. */

import { type ApiFailure, codeOf, toStatus } from '../../src/status/status.ts'
import type { WebSocketRefusal } from './websocket-request.ts'

export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

function refusal(failure: ApiFailure): Refusal {
  const body = Buffer.from(`${JSON.stringify(toStatus(failure))}\n`)
  return { status: codeOf(failure), headers: { 'content-type': 'application/json' }, body }
}

/** The client presented a certificate that the client CA does not vouch for, and nothing else. */
export const unverifiedCertificate = refusal({ reason: 'Unauthorized', message: 'Unauthorized' })

export const badRequestTarget = refusal({
  reason: 'BadRequest',
  message: 'the request target must be a path or an http URL',
})

export const brokenHandler = refusal({
  reason: 'InternalError',
  message: 'Internal error occurred: the request could not be served',
})

export const webSocketRefusals: Readonly<Record<WebSocketRefusal, Refusal>> = {
  NoWatch: refusal({
    reason: 'BadRequest',
    message: 'only a watch is served over WebSocket: a GET request with the query parameter watch',
  }),
  BadHandshake: refusal({
    reason: 'BadRequest',
    message:
      'the headers Sec-WebSocket-Key, -Version (13) and -Protocol are not those of a WebSocket handshake',
  }),
  BadToken: unverifiedCertificate,
  OtherOrigin: refusal({
    reason: 'Forbidden',
    message: 'a page of another origin needs a bearer token to open a WebSocket',
  }),
}

/** This build of uWebSockets.js is used for HTTP alone. */

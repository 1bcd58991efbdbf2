/**
 * A watch lives for hours, and Node keeps of its request and of the head of its answer what nobody asks for again:
 * 1 KiB and more of each of thousands of idle watches. What is public is emptied; what is not is looked for by its
 * name, and where a version of Node has no such thing, nothing happens.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

const nothing: string[] = []

/** The head of a request that has been read. `method`, which Node asks for at the end, stays. */
export function forgetAsked(request: IncomingMessage): void {
  request.headers = {}
  request.rawHeaders = nothing
  request.url = ''
}

/** Node asks only whether there is a text. */
const sent = 'sent'

/** The text of a head that has left. */
export function forgetSent(response: ServerResponse): void {
  if (typeof Reflect.get(response, '_header') === 'string' && Reflect.get(response, '_headerSent') === true) {
    Reflect.set(response, '_header', sent)
  }
}

let timer: symbol | undefined

/**
 * The timer of a handshake that is over. Node clears it and keeps it; and with each write it asks a timer that is there to
 * begin anew, which one that was cleared does not do.
 */
export function forgetClearedTimer(socket: Socket): void {
  timer ??= Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'timeout')
  if (timer === undefined) return
  const held: unknown = Reflect.get(socket, timer)
  if (typeof held === 'object' && held !== null && Reflect.get(held, '_destroyed') === true) {
    Reflect.set(socket, timer, null)
  }
}

let sentHeaders: symbol | undefined

/** The same over HTTP/2: what `sentHeaders` would answer. */
export function forgetSentHeaders(stream: ServerHttp2Stream): void {
  sentHeaders ??= Object.getOwnPropertySymbols(stream).find(
    ({ description }) => description === 'sent-headers',
  )
  if (sentHeaders !== undefined) Reflect.set(stream, sentHeaders, undefined)
}

/**
 * The part of uWebSockets.js that the plaintext listener uses, and where it comes from. The package is optional: the
 * registry has no package of that name, its makers publish through git, and its binaries fit certain versions of Node.
 */

import { createRequire } from 'node:module'

export interface UwsRequest {
  getUrl(): string
  /** undefined (or '', by version) when there is none. */
  getQuery(): string | undefined
  getCaseSensitiveMethod(): string
  /** '' when there is none. */
  getHeader(lowerCaseName: string): string
  forEach(action: (name: string, value: string) => void): void
}

export interface UwsResponse {
  pause(): void
  resume(): void
  writeStatus(status: string): UwsResponse
  writeHeader(name: string, value: string): UwsResponse
  /** One chunk; false = it waits in the library's buffer. */
  write(chunk: Uint8Array): boolean
  end(body?: Uint8Array, closeConnection?: boolean): UwsResponse
  /** Without its arguments: some versions drop the connection after an answer with a length and no body. */
  endWithoutBody(): UwsResponse
  close(): UwsResponse
  onWritable(handler: (offset: number) => boolean): UwsResponse
  onAborted(handler: () => void): UwsResponse
  onData(handler: (chunk: ArrayBuffer, last: boolean) => void): UwsResponse
  getRemoteAddressAsText(): ArrayBuffer
  cork(action: () => void): UwsResponse
  /** Turns the request of a `ws` route into a WebSocket; `context` is what came with it. In a `cork`. */
  upgrade<T>(data: T, key: string, protocol: string, extensions: string, context: object): void
  /** Sends the head before there is a body. Newer versions only. */
  beginWrite?(): void
}

/** Not to be touched after its `close`. */
export interface UwsWebSocket<T> {
  getUserData(): T
  send(message: Uint8Array, isBinary: boolean, compress: boolean): unknown
  /** Bytes that the socket did not take yet. */
  getBufferedAmount(): number
  /** With a frame that says why. */
  end(code: number): void
  /** At once. */
  close(): void
  cork(action: () => void): unknown
}

export interface UwsWebSocketBehavior<T> {
  readonly compression: number
  /** Seconds; 0 = never. */
  readonly idleTimeout: number
  /** Minutes; 0 = for ever. */
  readonly maxLifetime: number
  readonly sendPingsAutomatically: boolean
  readonly maxPayloadLength: number
  readonly maxBackpressure: number
  readonly upgrade: (response: UwsResponse, request: UwsRequest, context: object) => void
  readonly open: (socket: UwsWebSocket<T>) => void
  readonly message: (socket: UwsWebSocket<T>, message: ArrayBuffer) => void
  readonly ping: (socket: UwsWebSocket<T>) => void
  readonly drain: (socket: UwsWebSocket<T>) => void
  readonly close: (socket: UwsWebSocket<T>) => void
}

/** Opaque, owned by the library. */
type UwsListenSocket = object

interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp
  ws<T>(pattern: string, behavior: UwsWebSocketBehavior<T>): UwsApp
  listen(host: string, port: number, listening: (socket: UwsListenSocket | false) => void): UwsApp
  /** Closes the listen socket and every connection. Newer versions only. */
  close?(): UwsApp
}

export interface UwsLibrary {
  App(): UwsApp
  us_listen_socket_close(socket: UwsListenSocket): void
  us_socket_local_port(socket: UwsListenSocket): number
}

type UwsLoad =
  | { readonly type: 'loaded'; readonly library: UwsLibrary }
  /** `reason` is for people: not installed, or no binary for this Node. */
  | { readonly type: 'absent'; readonly reason: string }

const require = createRequire(import.meta.url)

/** Loads the library's binary for this Node, without the JavaScript stand-in that some builds bring along. */
export function loadUws(): UwsLoad {
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  let installed = false
  for (const path of [`uWebSockets.js/${binary}`, `uWebSockets.js/binaries/${binary}`]) {
    try {
      const library: unknown = require(path)
      if (isLibrary(library)) return { type: 'loaded', library }
    } catch {
      installed ||= isInstalled()
    }
  }
  return {
    type: 'absent',
    reason: installed
      ? `uWebSockets.js has no binary for Node ${process.versions.node} here`
      : 'uWebSockets.js is not installed',
  }
}

function isInstalled(): boolean {
  try {
    require.resolve('uWebSockets.js/package.json')
    return true
  } catch {
    return false
  }
}

function isLibrary(value: unknown): value is UwsLibrary {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['App', 'us_listen_socket_close', 'us_socket_local_port'].every(
      (name) => name in value && typeof Reflect.get(value, name) === 'function',
    )
  )
}

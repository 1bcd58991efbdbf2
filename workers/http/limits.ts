/**
 * Bounds of the listeners, the same for both transports where the library lets us say them.
 *
 * A client that dawdles is cut off while it sends: the head within `headMs`, the whole request within `requestMs`.
 * None of them runs while an answer is sent, so a watch may last for hours.
 */
export const limits = {
  /** Request line and headers, bytes; more is answered 431. */
  headBytesMax: 128 * 1024,
  headMs: 20_000,
  /** Head and body together. */
  requestMs: 60_000,
  /** A connection without a request is closed after this long. */
  idleMs: 90_000,
  /** A peer that vanished without a word is noticed about this long after. */
  probeMs: 30_000,
  /** `write` returns false above this many bytes that wait in a stream. */
  streamBytesHigh: 64 * 1024,
  /** What may still be read and thrown away of a body that nobody wants, so that its sender sees the answer. */
  unwantedBytesMax: 4 * 1024 * 1024,
  unwantedMs: 1_000,
} as const

/** Bounds of one HTTP/2 connection. */
export const http2Limits = {
  /** Of a head after decompression. */
  headBytesMax: 128 * 1024,
  headersMax: 1000,
  /** What a client may send of one body, and of all of its bodies, before it is read. */
  streamWindowBytes: 256 * 1024,
  connectionWindowBytes: 1024 * 1024,
  /** Everything that Node keeps for the connection; above it new streams are refused. */
  connectionMegabytesMax: 64,
  invalidFramesMax: 100,
  /** Streams beyond the agreed number; one more ends the connection. */
  rejectedStreamsMax: 100,
  /** Requests that the client takes back before they are answered: this many at once, then as many each second. */
  resetsBurst: 500,
  resetsPerSecond: 50,
} as const

/** Bounds of one WebSocket; what waits in it is bounded as in every stream. */
export const webSocketLimits = {
  /** Of a message of the client, which nobody reads; a longer one ends the connection with 1009. */
  messageBytesMax: 16 * 1024,
  /** A client that does not answer the end of a watch loses its connection after this long. */
  closeMs: 5_000,
} as const

/** Frames of a watch as messages of a WebSocket. Source: RFC 6455, section 5.2; a server does not mask. */

import type { SharedChunk } from '../../src/pipeline/exchange.ts'

/** `lines`: JSON, each ending with a line feed. `lengths`: each behind its length, 4 bytes, big-endian. */
export type Framing = 'lines' | 'lengths'

const shared = new WeakMap<SharedChunk, Buffer>()

/** The whole frames of a chunk, one message each, as bytes for the socket: made once for all who send the chunk. */
export function messagesOf(chunk: SharedChunk | Buffer, framing: Framing): Buffer {
  if (Buffer.isBuffer(chunk)) return join(chunk, framing)
  let messages = shared.get(chunk)
  if (messages === undefined) {
    messages = join(chunk.payload, framing)
    shared.set(chunk, messages)
  }
  return messages
}

const sharedFrames = new WeakMap<SharedChunk, readonly Buffer[]>()

/** The whole frames of a chunk, each what a message carries: for those who have their messages framed by others. */
export function framesOf(chunk: SharedChunk | Buffer, framing: Framing): readonly Buffer[] {
  if (Buffer.isBuffer(chunk)) return [...split(chunk, framing)]
  let frames = sharedFrames.get(chunk)
  if (frames === undefined) {
    frames = [...split(chunk.payload, framing)]
    sharedFrames.set(chunk, frames)
  }
  return frames
}

function split(payload: Buffer, framing: Framing): Iterable<Buffer> {
  return framing === 'lines' ? lines(payload) : prefixed(payload)
}

function join(payload: Buffer, framing: Framing): Buffer {
  const pieces: Buffer[] = []
  const opcode = framing === 'lines' ? textOpcode : binaryOpcode
  for (const frame of split(payload, framing)) {
    pieces.push(head(opcode, frame.length), frame)
  }
  return Buffer.concat(pieces)
}

/** The line feed stays with its line: the API servers that clients know send it too. */
function* lines(payload: Buffer): Iterable<Buffer> {
  for (let start = 0; start < payload.length; ) {
    const feed = payload.indexOf(lineFeed, start)
    const end = feed === -1 ? payload.length : feed + 1
    yield payload.subarray(start, end)
    start = end
  }
}

/** Without their lengths: a message knows its own. */
function* prefixed(payload: Buffer): Iterable<Buffer> {
  for (let start = 0; start < payload.length; ) {
    const end = start + 4 + payload.readUInt32BE(start)
    yield payload.subarray(start + 4, end)
    start = end
  }
}

const lineFeed = 10
const lastFrame = 0x80
const textOpcode = 1
const binaryOpcode = 2

function head(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([lastFrame | opcode, length])
  if (length < 65_536) return Buffer.from([lastFrame | opcode, 126, length >> 8, length & 255])
  const bytes = Buffer.alloc(10)
  bytes.writeUInt8(lastFrame | opcode, 0)
  bytes.writeUInt8(127, 1)
  bytes.writeUInt32BE(length, 6)
  return bytes
}

import type { Socket } from 'node:net'
import { WireWriter } from './wire.ts'

const expectedBytesMin = 1024
const expectedBytesMax = 1024 * 1024

/** Frames of one event-loop turn leave in one write. */
export class Outbox {
  readonly #socket: Socket
  #writer: WireWriter | undefined
  #expectedBytes = expectedBytesMin

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Bytes that the other side has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength + (this.#writer?.length ?? 0)
  }

  /** Writes one frame; false, and nothing written, when it is larger than `bytesMax`. */
  frame(bytesMax: number, encode: (writer: WireWriter) => void): boolean {
    const writer = this.#open()
    const before = writer.length
    const start = writer.beginFrame()
    encode(writer)
    if (writer.endFrame(start) <= bytesMax) return true
    writer.cutTo(before)
    return false
  }

  /** Hands what was written to the socket now. */
  flush(): void {
    const written = this.#writer?.finish()
    this.#writer = undefined
    if (written === undefined || written.length === 0 || this.#socket.destroyed) return
    this.#expectedBytes = Math.min(Math.max(written.length + 256, expectedBytesMin), expectedBytesMax)
    this.#socket.write(written)
  }

  /**
   * Hands over what was written, and settles when the other side has taken it all or the socket is closed; at once
   * while the socket's own buffer has room.
   */
  drained(): Promise<void> {
    this.flush()
    const socket = this.#socket
    if (socket.destroyed || !socket.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.on('drain', done)
      socket.on('close', done)
    })
  }

  #open(): WireWriter {
    if (this.#writer === undefined) {
      this.#writer = new WireWriter(this.#expectedBytes)
      setImmediate(() => this.flush())
    }
    return this.#writer
  }
}

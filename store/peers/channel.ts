import type { Socket } from 'node:net'
import { FrameReader } from '../link/frame-reader.ts'
import { Outbox } from '../link/outbox.ts'
import { frameBytesMax } from '../link/wire.ts'
import { type Frame, readFrame, writeFrame } from './frames.ts'

export interface ChannelEvents {
  onFrame(frame: Frame): void
  /** Once. `reason` is for the log. */
  onClosed(reason: string): void
}

/** Frames over one socket. */
export class Channel {
  readonly #socket: Socket
  readonly #outbox: Outbox
  readonly #events: ChannelEvents
  /** Frames or parts of them have come since the last `takeHeard()`. */
  #heard = true
  #closed = false

  constructor(socket: Socket, events: ChannelEvents) {
    this.#socket = socket
    this.#outbox = new Outbox(socket)
    this.#events = events
    const frames = new FrameReader()
    let reason = 'closed by the other side'
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#heard = true
      const whole = frames.push(chunk, (bytes) => this.#onFrame(bytes))
      if (!whole) this.close('a frame is too large')
    })
    socket.on('error', (error) => {
      reason = error.message
    })
    socket.on('close', () => this.close(reason))
  }

  get waitingBytes(): number {
    return this.#outbox.waitingBytes
  }

  /** False when the channel is closed or the frame too large. */
  send(frame: Frame): boolean {
    if (this.#closed) return false
    return this.#outbox.frame(frameBytesMax, (writer) => writeFrame(writer, frame))
  }

  /** Sends what was written now, and settles when the other side may take more (or the channel is closed). */
  drained(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#outbox.drained()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  takeHeard(): boolean {
    const heard = this.#heard
    this.#heard = false
    return heard
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Sends what was written, then closes. */
  close(reason: string): void {
    if (this.#closed) return
    this.#outbox.flush()
    this.#closed = true
    this.#socket.destroySoon()
    this.#events.onClosed(reason)
  }

  /** Closes without waiting for the other side to take what was written. */
  cut(reason: string): void {
    this.close(reason)
    this.#socket.destroy()
  }

  #onFrame(bytes: Buffer): void {
    if (this.#closed) return
    let frame: Frame | undefined
    try {
      frame = readFrame(bytes)
    } catch {
      frame = undefined // a number out of its range
    }
    if (frame === undefined) this.close('a frame makes no sense')
    else this.#events.onFrame(frame)
  }
}

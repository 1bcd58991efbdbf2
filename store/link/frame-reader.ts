import { frameBytesMax, frameHeadBytes } from './wire.ts'

/**
 * Cuts a stream of chunks into frames. A frame is a slice of its chunk, or a copy of its own when it arrived in
 * pieces. For receivers that keep what they find in it (`kept`) a frame much smaller than its chunk is copied too: it
 * must not hold a large chunk in memory.
 */
export class FrameReader {
  readonly #kept: boolean
  #pieces: Buffer[] = []
  #bytes = 0

  constructor({ kept = true }: { readonly kept?: boolean } = {}) {
    this.#kept = kept
  }

  /** Calls `onFrame` for each frame that `chunk` completes; false when a frame is larger than allowed. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): boolean {
    this.#pieces.push(chunk)
    this.#bytes += chunk.length
    let wanted = this.#wanted()
    while (wanted !== undefined && wanted <= this.#bytes) {
      if (wanted > frameBytesMax + frameHeadBytes) return false
      onFrame(this.#take(wanted))
      wanted = this.#wanted()
    }
    return wanted === undefined || wanted <= frameBytesMax + frameHeadBytes
  }

  /** Bytes of the next frame with its head, once its head is here. */
  #wanted(): number | undefined {
    if (this.#bytes < frameHeadBytes) return undefined
    const first = this.#pieces[0]
    if (first !== undefined && first.length < frameHeadBytes) this.#pieces = [Buffer.concat(this.#pieces)]
    return frameHeadBytes + (this.#pieces[0]?.readUInt32LE(0) ?? 0)
  }

  #take(wanted: number): Buffer {
    const only = this.#pieces.length === 1 ? this.#pieces[0] : undefined
    const whole = only ?? Buffer.concat(this.#pieces)
    this.#bytes -= wanted
    this.#pieces = this.#bytes === 0 ? [] : [whole.subarray(wanted)]
    const frame = whole.subarray(frameHeadBytes, wanted)
    if (!this.#kept || frame.length * 2 >= whole.buffer.byteLength) return frame
    const own = Buffer.allocUnsafeSlow(frame.length)
    frame.copy(own)
    return own
  }
}

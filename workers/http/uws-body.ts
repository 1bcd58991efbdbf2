import type { BodyFailure } from '../../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { limits } from './limits.ts'
import type { UwsResponse } from './uws-library.ts'

type BodyResult = Result<Buffer, BodyFailure>

/**
 * A request body as uWebSockets.js hands it out: from the first turn on, whether somebody reads or not. It is kept
 * until it is asked for, up to a bound.
 */
export class UwsBody {
  #chunks: Buffer[] = []
  #bytes = 0
  #whole: boolean
  #aborted = false
  #limitBytes = limits.unwantedBytesMax
  #resolve: ((result: BodyResult) => void) | undefined

  /** @param expected whether the request announces a body. Call in the turn of the request. */
  constructor(response: UwsResponse, expected: boolean) {
    this.#whole = !expected
    if (expected) response.onData((chunk, last) => this.#take(chunk, last))
  }

  /** The client has sent everything: the connection can serve another request. */
  get whole(): boolean {
    return this.#whole
  }

  read(limitBytes: number, declaredBytes: number | undefined): Promise<BodyResult> {
    if (declaredBytes !== undefined && declaredBytes > limitBytes) {
      this.#chunks = []
      return Promise.resolve(fail({ code: 'TooLarge', limitBytes }))
    }
    this.#limitBytes = limitBytes
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#settle()
    })
  }

  abort(): void {
    this.#aborted = true
    this.#chunks = []
    this.#settle()
  }

  #take(chunk: ArrayBuffer, last: boolean): void {
    this.#bytes += chunk.byteLength
    // The library takes its memory back when this returns.
    if (this.#bytes <= this.#limitBytes) this.#chunks.push(Buffer.from(new Uint8Array(chunk)))
    else this.#chunks = []
    this.#whole = last
    this.#settle()
  }

  #settle(): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    if (this.#bytes > this.#limitBytes) resolve(fail({ code: 'TooLarge', limitBytes: this.#limitBytes }))
    else if (this.#whole) resolve(ok(this.#joined()))
    else if (this.#aborted) resolve(fail({ code: 'Aborted' }))
    else return
    this.#resolve = undefined
    this.#chunks = []
  }

  #joined(): Buffer {
    const [only] = this.#chunks
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#bytes)
  }
}

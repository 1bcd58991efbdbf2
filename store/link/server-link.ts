import type { Socket } from 'node:net'
import type {
  RangeResponse,
  Result,
  Store,
  StoreFailure,
  Unavailable,
  Watch,
  WatchBatch,
} from '../contract.ts'
import { type Answer, writeAnswer } from './answers.ts'
import { FrameReader } from './frame-reader.ts'
import { Outbox } from './outbox.ts'
import { linkVersion, type Request, readRequest } from './requests.ts'
import { TurnBatches } from './turn-batches.ts'
import { frameBytesMax } from './wire.ts'

export interface ServerLinkOptions {
  readonly socket: Socket
  readonly store: Store
  /** Bytes that a slow worker may leave waiting before its watches are ended and its requests are not read. */
  readonly outgoingBytesMax: number
  /** Why the link was closed from this side. */
  onError(reason: string): void
}

/** Bytes of entries after which a range answer goes on in another frame. */
const rangePartBytes = 1024 * 1024

/** The member's end of one link. */
export class ServerLink {
  readonly #options: ServerLinkOptions
  readonly #outbox: Outbox
  readonly #frames = new FrameReader({ kept: false })
  readonly #watches = new Map<number, Watch>()
  /** Encoded before anything else is sent. */
  readonly #batches = new TurnBatches()
  #greeted = false
  #failed = false
  #drainScheduled = false
  /** Settles when the worker has taken what was waiting. */
  #taken: Promise<void> | undefined

  constructor(options: ServerLinkOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.socket)
    const { socket } = options
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => this.#closeWatches())
  }

  close(): void {
    this.#outbox.flush()
    this.#options.socket.destroySoon()
  }

  #onData(chunk: Buffer): void {
    const whole = this.#frames.push(chunk, (frame) => {
      if (this.#failed) return
      const request = readRequest(frame)
      if (request === undefined) this.#fail('malformed frame')
      else this.#onRequest(request)
    })
    if (!whole) this.#fail(`frame larger than ${frameBytesMax} bytes`)
    if (this.#outbox.waitingBytes > this.#options.outgoingBytesMax) void this.#untilTaken()
  }

  #onRequest(request: Request): void {
    const { store } = this.#options
    if (!this.#greeted) {
      this.#onGreeting(request)
      return
    }
    switch (request.kind) {
      case 'hello':
        this.#fail('greeted twice')
        return
      case 'commit':
        this.#answer(request.id, store.commit(request.transaction), (value) => ({
          kind: 'done',
          id: request.id,
          revision: value.revision,
        }))
        return
      case 'readIndex':
        this.#answer(request.id, store.readIndex(), (revision) => ({
          kind: 'done',
          id: request.id,
          revision,
        }))
        return
      case 'compact':
        this.#answer(request.id, store.compact(request.at), () => ({
          kind: 'done',
          id: request.id,
          revision: 0,
        }))
        return
      case 'status':
        this.#answer(request.id, store.status(), (status) => ({
          kind: 'status',
          id: request.id,
          status,
        }))
        return
      case 'range':
        store.range(request.request).then(
          (result) => this.#answerRange(request.id, result),
          (error: unknown) => this.#failWith(error),
        )
        return
      case 'watch':
        this.#watch(request)
        return
      case 'closeWatch':
        this.#drainBatches()
        this.#watches.get(request.id)?.close()
        this.#watches.delete(request.id)
        return
    }
  }

  #onGreeting(request: Request): void {
    if (request.kind !== 'hello') {
      this.#fail('no greeting')
      return
    }
    this.#greeted = true
    this.#send({ kind: 'hello', version: linkVersion })
    if (request.version !== linkVersion) {
      this.#fail(`worker speaks version ${request.version} of the link, this member ${linkVersion}`)
    }
  }

  #answer<T>(id: number, result: Promise<Result<T, StoreFailure>>, done: (value: T) => Answer): void {
    result.then(
      (result) =>
        this.#send(result.ok ? done(result.value) : { kind: 'failed', id, failure: result.failure }),
      (error: unknown) => this.#failWith(error),
    )
  }

  async #answerRange(id: number, result: Result<RangeResponse, StoreFailure>): Promise<void> {
    if (!result.ok) {
      this.#send({ kind: 'failed', id, failure: result.failure })
      return
    }
    const { entries, ...last } = result.value
    let from = 0
    let bytes = 0
    for (const [i, entry] of entries.entries()) {
      bytes += entry.key.length + entry.value.length
      if (bytes < rangePartBytes) continue
      this.#send({ kind: 'range', id, part: { entries: entries.slice(from, i + 1), last: undefined } })
      from = i + 1
      bytes = 0
      if (this.#outbox.waitingBytes > this.#options.outgoingBytesMax) await this.#untilTaken()
      if (this.#options.socket.destroyed) return
    }
    this.#send({ kind: 'range', id, part: { entries: entries.slice(from), last } })
  }

  #watch({ id, request }: Request & { readonly kind: 'watch' }): void {
    if (this.#watches.has(id)) {
      this.#fail(`watch ${id} exists`)
      return
    }
    // Batches that were under way before this watch leave before it counts among the rest.
    this.#send({ kind: 'watching', id })
    const watch = this.#options.store.watch(request, {
      onBatch: (batch) => this.#collect(id, batch),
      onEnd: (failure) => {
        // What was told while this watch counted among the rest leaves while it still does.
        this.#drainBatches()
        this.#watches.delete(id)
        this.#send({ kind: 'watchEnded', id, failure })
      },
    })
    this.#watches.set(id, watch)
  }

  #collect(watch: number, batch: WatchBatch): void {
    this.#batches.add(watch, batch)
    if (this.#drainScheduled) return
    this.#drainScheduled = true
    queueMicrotask(() => this.#drainBatches())
  }

  #drainBatches(): void {
    this.#drainScheduled = false
    if (this.#batches.isEmpty) return
    for (const batch of this.#batches.take(this.#watches.size)) {
      const fits = this.#outbox.frame(frameBytesMax, (writer) =>
        writeAnswer(writer, { kind: 'batch', batch }),
      )
      if (!fits) {
        this.#endWatches(`the events of revision ${batch.revision} exceed ${frameBytesMax} bytes`)
        return
      }
      if (this.#outbox.waitingBytes > this.#options.outgoingBytesMax) {
        this.#endWatches(`the worker left ${this.#outbox.waitingBytes} bytes waiting`)
        return
      }
    }
  }

  /** The worker is too slow, or the events too large: its watches end, it may start them again. */
  #endWatches(message: string): void {
    const ids = [...this.#watches.keys()]
    this.#closeWatches()
    const failure: Unavailable = { code: 'Unavailable', message }
    for (const id of ids) this.#send({ kind: 'watchEnded', id, failure })
    this.#options.onError(`watches ended: ${message}`)
  }

  #closeWatches(): void {
    for (const watch of this.#watches.values()) watch.close()
    this.#watches.clear()
    this.#batches.clear()
  }

  #send(answer: Answer): void {
    this.#drainBatches()
    if (this.#failed || this.#options.socket.destroyed) return
    const fits = this.#outbox.frame(frameBytesMax, (writer) => writeAnswer(writer, answer))
    if (!fits) this.#fail(`an answer exceeds ${frameBytesMax} bytes`)
  }

  /** Stops reading requests until the worker has taken what waits for it. */
  #untilTaken(): Promise<void> {
    this.#taken ??= this.#pauseUntilTaken()
    return this.#taken
  }

  async #pauseUntilTaken(): Promise<void> {
    const { socket } = this.#options
    socket.pause()
    await this.#outbox.drained()
    this.#taken = undefined
    socket.resume()
  }

  #failWith(error: unknown): void {
    this.#fail(error instanceof Error ? error.message : String(error))
  }

  #fail(reason: string): void {
    if (this.#failed || this.#options.socket.destroyed) return
    this.#failed = true
    this.#outbox.flush()
    this.#options.socket.destroySoon()
    this.#closeWatches()
    this.#options.onError(reason)
  }
}

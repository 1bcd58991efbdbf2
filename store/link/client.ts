import { createConnection, type Socket } from 'node:net'
import { checkTransaction } from '../check-transaction.ts'
import {
  type Clock,
  type CommitFailure,
  type CommitResponse,
  type Compacted,
  type Corrupt,
  type FutureRevision,
  fail,
  key,
  ok,
  type RangeRequest,
  type RangeResponse,
  type Result,
  type Revision,
  revision,
  type Store,
  type StoreStatus,
  type Timer,
  type Transaction,
  type Unavailable,
  type Unknown,
  type Watch,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import { readAnswer } from './answers.ts'
import { ClientWatches } from './client-watches.ts'
import { FrameReader } from './frame-reader.ts'
import { InFlight, type Reply } from './in-flight.ts'
import { Outbox } from './outbox.ts'
import { commitFailureOf, compactFailureOf, plainFailureOf, rangeFailureOf } from './request-failures.ts'
import { linkVersion, type Request, writeRequest } from './requests.ts'
import { frameBytesMax } from './wire.ts'

export interface LinkOptions {
  /** Where the member listens. */
  readonly path: string
  readonly clock: Clock
  /** Requests under way; default 8192. Beyond it they are refused as Unavailable. */
  readonly inFlightMax?: number
  /** Bytes of values in commits under way; default 64 MiB. */
  readonly inFlightBytesMax?: number
  /** Called with the reason each time a link is lost or cannot be made: for the log. */
  readonly onLinkError?: (reason: string) => void
}

interface Connection {
  readonly socket: Socket
  readonly outbox: Outbox
  /** The socket is open: from here on the member may have read what was sent. */
  opened: boolean
}

const retryMinMs = 50
const retryMaxMs = 2000
/** Holds one key at most. */
const smallestRange = { start: key('\x00'), end: key('\x00\x00'), keysOnly: true }
const closedMessage = 'the link is closed'

/**
 * The store of a member on the same machine, over its link. Requests made while the first connection is being opened
 * wait for it; later, without a link, they are Unavailable at once while it is being made again (50 ms after the
 * loss, doubling to 2 s). A lost link ends its watches as Unavailable.
 */
export function connectLink(options: LinkOptions): Store {
  return new LinkClient(options)
}

class LinkClient implements Store {
  readonly #options: LinkOptions
  readonly #inFlight: InFlight
  readonly #watches = new ClientWatches()
  #connection: Connection | undefined
  #lastWatch = 0
  #retryMs = retryMinMs
  #retry: Timer | undefined
  #closed = false
  #index: Promise<Result<Revision, Unavailable | Corrupt>> | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    const { inFlightMax = 8192, inFlightBytesMax = 64 * 1024 * 1024 } = options
    this.#inFlight = new InFlight({ countMax: inFlightMax, bytesMax: inFlightBytesMax })
    this.#connect()
  }

  async range(
    request: RangeRequest,
  ): Promise<Result<RangeResponse, Compacted | FutureRevision | Unavailable | Corrupt>> {
    if (request.start >= request.end) return this.#emptyRange(request)
    const id = this.#inFlight.next
    const { answer, entries } = await this.#request({ kind: 'range', id, request })
    if (answer.kind === 'range' && answer.part.last !== undefined) {
      const { last } = answer.part
      return ok({ entries, revision: revision(last.revision), more: last.more, count: last.count })
    }
    return fail(rangeFailureOf(answer))
  }

  async commit(transaction: Transaction): Promise<Result<CommitResponse, CommitFailure>> {
    const checked = checkTransaction(transaction)
    if (!checked.ok) return checked
    const { answer } = await this.#request({ kind: 'commit', id: this.#inFlight.next, transaction })
    if (answer.kind === 'done') return ok({ revision: revision(answer.revision) })
    return fail(commitFailureOf(answer))
  }

  watch(request: WatchRequest, listener: WatchListener): Watch {
    const id = ++this.#lastWatch
    this.#watches.add(id, listener)
    if (this.#connection === undefined) {
      setImmediate(() => this.#watches.end(id, this.#noLink()))
    } else {
      this.#send({ kind: 'watch', id, request })
    }
    return {
      close: () => {
        if (this.#watches.delete(id) && this.#connection !== undefined) this.#send({ kind: 'closeWatch', id })
      },
    }
  }

  readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    // Shared until it is sent, at the end of this turn: later calls must not get an older answer.
    this.#index ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#index = undefined
        resolve(this.#readIndex())
        this.#connection?.outbox.flush()
      })
    })
    return this.#index
  }

  async #readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    const { answer } = await this.#request({ kind: 'readIndex', id: this.#inFlight.next })
    if (answer.kind === 'done') return ok(revision(answer.revision))
    return fail(plainFailureOf(answer))
  }

  async compact(at: Revision): Promise<Result<void, FutureRevision | Unavailable | Unknown | Corrupt>> {
    const { answer } = await this.#request({ kind: 'compact', id: this.#inFlight.next, at })
    if (answer.kind === 'done') return ok(undefined)
    return fail(compactFailureOf(answer))
  }

  async status(): Promise<Result<StoreStatus, Unavailable | Corrupt>> {
    const { answer } = await this.#request({ kind: 'status', id: this.#inFlight.next })
    if (answer.kind === 'status') return ok(answer.status)
    return fail(plainFailureOf(answer))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#retry?.cancel()
    const connection = this.#connection
    if (connection === undefined) return
    this.#lost(connection, closedMessage)
  }

  /** The member would answer the same, but for whether it can be reached and has the revision: that it is asked. */
  async #emptyRange(request: RangeRequest) {
    const { revision: at } = request
    const result = await this.range({ ...smallestRange, ...(at === undefined ? {} : { revision: at }) })
    return result.ok ? ok({ ...result.value, entries: [], more: false, count: 0 }) : result
  }

  #request(request: Exclude<Request, { kind: 'hello' }>): Promise<Reply> {
    const { id } = request
    const bytes = request.kind === 'commit' ? transactionBytes(request.transaction) : 0
    const failure = this.#connection === undefined ? this.#noLink() : this.#inFlight.refusal(bytes)
    if (failure !== undefined) {
      return Promise.resolve({ answer: { kind: 'failed', id, failure }, entries: [] })
    }
    const writes = request.kind === 'commit' || request.kind === 'compact'
    const reply = this.#inFlight.add({ writes, bytes })
    this.#send(request)
    return reply
  }

  #send(request: Request): void {
    this.#connection?.outbox.frame(frameBytesMax, (writer) => writeRequest(writer, request))
  }

  #connect(): void {
    const socket = createConnection(this.#options.path)
    const connection: Connection = { socket, outbox: new Outbox(socket), opened: false }
    this.#connection = connection
    const frames = new FrameReader({ kept: false })
    let reason = 'closed by the member'
    socket.on('connect', () => {
      connection.opened = true
    })
    socket.on('data', (chunk: Buffer) => {
      const whole = frames.push(chunk, (frame) => {
        if (this.#connection !== connection) return
        const wrong = this.#onFrame(frame)
        if (wrong !== undefined) this.#lost(connection, wrong)
      })
      if (!whole) this.#lost(connection, `frame larger than ${frameBytesMax} bytes`)
    })
    socket.on('error', (error) => {
      reason = error.message
    })
    socket.on('close', () => this.#lost(connection, reason))
    this.#send({ kind: 'hello', version: linkVersion })
  }

  /** What is wrong with the frame, if anything. */
  #onFrame(frame: Buffer): string | undefined {
    const answer = readAnswer(frame)
    if (answer === undefined) return 'malformed frame'
    switch (answer.kind) {
      case 'hello':
        if (answer.version !== linkVersion) {
          return `the member speaks version ${answer.version} of the link, this worker ${linkVersion}`
        }
        this.#retryMs = retryMinMs
        return undefined
      case 'batch':
        return this.#watches.deliver(answer.batch) ? undefined : 'malformed batch'
      case 'watching':
        this.#watches.known(answer.id)
        return undefined
      case 'watchEnded':
        this.#watches.end(answer.id, answer.failure)
        return undefined
      case 'range':
        this.#inFlight.gather(answer.id, answer.part.entries)
        if (answer.part.last !== undefined) this.#inFlight.settle(answer.id, answer)
        return undefined
      case 'done':
      case 'failed':
      case 'status':
        this.#inFlight.settle(answer.id, answer)
        return undefined
    }
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.socket.destroy()
    const message = this.#closed ? closedMessage : `the link to the member was lost: ${reason}`
    this.#inFlight.failAll(message, connection.opened)
    this.#watches.endAll({ code: 'Unavailable', message })
    if (this.#closed) return
    this.#options.onLinkError?.(reason)
    this.#retry = this.#options.clock.after(this.#retryMs, () => this.#connect())
    this.#retryMs = Math.min(this.#retryMs * 2, retryMaxMs)
  }

  #noLink(): Unavailable {
    return { code: 'Unavailable', message: this.#closed ? closedMessage : 'there is no link to the member' }
  }
}

function transactionBytes({ ops }: Transaction): number {
  return ops.reduce((bytes, op) => bytes + op.key.length + (op.type === 'put' ? op.value.length : 0), 0)
}

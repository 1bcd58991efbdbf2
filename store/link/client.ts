import { createConnection, type Socket } from 'node:net'
import {
  type Clock,
  type CommitFailure,
  type CommitResponse,
  type Compacted,
  type Corrupt,
  type FutureRevision,
  fail,
  type KeyValue,
  ok,
  type RangeRequest,
  type RangeResponse,
  type Result,
  type Revision,
  revision,
  type Store,
  type StoreFailure,
  type StoreStatus,
  type Timer,
  type Transaction,
  type Unavailable,
  type Unknown,
  type Watch,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import { checkTransaction } from '../member/check-transaction.ts'
import { Slots } from '../slots.ts'
import { type Answer, readAnswer } from './answers.ts'
import { ClientWatches } from './client-watches.ts'
import { FrameReader } from './frame-reader.ts'
import { Outbox } from './outbox.ts'
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

interface Pending {
  /** A write whose fate is unknown when the link is lost. */
  readonly writes: boolean
  readonly bytes: number
  /** Entries of a range that came so far. */
  readonly entries: KeyValue[]
  settle(answer: Answer): void
}

interface Connection {
  readonly socket: Socket
  readonly outbox: Outbox
  /** The socket is open: from here on the member may have read what was sent. */
  opened: boolean
}

const retryMinMs = 50
const retryMaxMs = 2000
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
  /** The id of a request is its place: free again once it is answered. */
  readonly #pending = new Slots<Pending>()
  readonly #watches = new ClientWatches()
  #connection: Connection | undefined
  #lastWatch = 0
  #pendingBytes = 0
  #retryMs = retryMinMs
  #retry: Timer | undefined
  #closed = false
  #index: Promise<Result<Revision, Unavailable | Corrupt>> | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#connect()
  }

  async range(
    request: RangeRequest,
  ): Promise<Result<RangeResponse, Compacted | FutureRevision | Unavailable | Corrupt>> {
    if (request.start >= request.end) return this.#emptyRange(request)
    const id = this.#pending.next
    const { answer, entries } = await this.#request({ kind: 'range', id, request })
    if (answer.kind === 'range' && answer.part.last !== undefined) {
      const { last } = answer.part
      return ok({ entries, revision: revision(last.revision), more: last.more, count: last.count })
    }
    return fail(readFailureOf(answer))
  }

  async commit(transaction: Transaction): Promise<Result<CommitResponse, CommitFailure>> {
    const checked = checkTransaction(transaction)
    if (!checked.ok) return checked
    const { answer } = await this.#request({ kind: 'commit', id: this.#pending.next, transaction })
    if (answer.kind === 'done') return ok({ revision: revision(answer.revision) })
    const failure = failureOf(answer)
    if (failure.code === 'Compacted' || failure.code === 'FutureRevision') return fail(misfit(failure))
    return fail(failure)
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
    const { answer } = await this.#request({ kind: 'readIndex', id: this.#pending.next })
    if (answer.kind === 'done') return ok(revision(answer.revision))
    const failure = readFailureOf(answer)
    if (failure.code === 'Compacted' || failure.code === 'FutureRevision') return fail(misfit(failure))
    return fail(failure)
  }

  async compact(at: Revision): Promise<Result<void, FutureRevision | Unavailable | Unknown | Corrupt>> {
    const { answer } = await this.#request({ kind: 'compact', id: this.#pending.next, at })
    if (answer.kind === 'done') return ok(undefined)
    const failure = failureOf(answer)
    if (failure.code === 'Unknown') return fail(failure)
    const read = readFailureOf(answer)
    return fail(read.code === 'Compacted' ? misfit(read) : read)
  }

  async status(): Promise<Result<StoreStatus, Unavailable | Corrupt>> {
    const { answer } = await this.#request({ kind: 'status', id: this.#pending.next })
    if (answer.kind === 'status') return ok(answer.status)
    const failure = readFailureOf(answer)
    if (failure.code === 'Compacted' || failure.code === 'FutureRevision') return fail(misfit(failure))
    return fail(failure)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#retry?.cancel()
    const connection = this.#connection
    if (connection === undefined) return
    this.#lost(connection, closedMessage)
    connection.socket.destroy()
  }

  /** The member would answer the same, but for whether it can be reached and has the revision: that it is asked. */
  async #emptyRange(request: RangeRequest) {
    const asked: RangeRequest = {
      start: request.start,
      end: `${request.start}\x00` as RangeRequest['end'],
      keysOnly: true,
    }
    const result = await this.range(
      request.revision === undefined ? asked : { ...asked, revision: request.revision },
    )
    return result.ok ? ok({ ...result.value, entries: [], more: false, count: 0 }) : result
  }

  #request(request: Exclude<Request, { kind: 'hello' }>): Promise<{ answer: Answer; entries: KeyValue[] }> {
    const { id } = request
    const bytes = request.kind === 'commit' ? transactionBytes(request.transaction) : 0
    const refuse = (failure: Unavailable) =>
      Promise.resolve({ answer: { kind: 'failed', id, failure } as const, entries: [] })
    if (this.#connection === undefined) return refuse(this.#noLink())
    const { inFlightMax = 8192, inFlightBytesMax = 64 * 1024 * 1024 } = this.#options
    if (
      this.#pending.size >= inFlightMax ||
      (this.#pendingBytes > 0 && this.#pendingBytes + bytes > inFlightBytesMax)
    ) {
      const message = `${this.#pending.size} requests with ${this.#pendingBytes} bytes are under way, the most allowed is ${inFlightMax} with ${inFlightBytesMax} bytes`
      return refuse({ code: 'Unavailable', message })
    }
    this.#pendingBytes += bytes
    return new Promise((resolve) => {
      const entries: KeyValue[] = []
      const writes = request.kind === 'commit' || request.kind === 'compact'
      this.#pending.add({ writes, bytes, entries, settle: (answer) => resolve({ answer, entries }) })
      this.#send(request)
    })
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
        for (const entry of answer.part.entries) this.#pending.get(answer.id)?.entries.push(entry)
        if (answer.part.last !== undefined) this.#settle(answer.id, answer)
        return undefined
      case 'done':
      case 'failed':
      case 'status':
        this.#settle(answer.id, answer)
        return undefined
    }
  }

  #settle(id: number, answer: Answer): void {
    const pending = this.#pending.take(id)
    if (pending === undefined) return
    this.#pendingBytes -= pending.bytes
    pending.settle(answer)
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.socket.destroy()
    const message = this.#closed ? closedMessage : `the link to the member was lost: ${reason}`
    for (const id of this.#pending.slots()) {
      const code = this.#pending.get(id)?.writes && connection.opened ? 'Unknown' : 'Unavailable'
      this.#settle(id, { kind: 'failed', id, failure: { code, message } })
    }
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

function failureOf(answer: Answer): StoreFailure {
  if (answer.kind === 'failed') return answer.failure
  return { code: 'Unavailable', message: `the member answered with ${answer.kind}` }
}

function readFailureOf(answer: Answer): Compacted | FutureRevision | Unavailable | Corrupt {
  const failure = failureOf(answer)
  switch (failure.code) {
    case 'Compacted':
    case 'FutureRevision':
    case 'Unavailable':
    case 'Corrupt':
      return failure
    case 'GuardFailed':
    case 'Unknown':
    case 'TooLarge':
      return misfit(failure)
  }
}

/** A failure that this request cannot have. */
function misfit(failure: StoreFailure): Unavailable {
  return { code: 'Unavailable', message: `the member answered with ${failure.code}` }
}

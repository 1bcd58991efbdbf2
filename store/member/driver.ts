import type { DatabaseView } from '../disk/database.ts'
import type { Message } from '../raft/message.ts'
import type { Raft } from '../raft/raft.ts'
import type { Ready } from '../raft/ready.ts'
import type { Durable } from './durable.ts'
import type { ReplicaParts } from './replica-parts.ts'

/** Records wait at most this long for a durable batch to take them along before they are written without one. */
const flushDelayMs = 100

/** What the driver asks of log and state. */
type DriverDisk = Pick<
  Durable,
  'persist' | 'persisted' | 'note' | 'flush' | 'view' | 'keepLogLonger' | 'close'
> & {
  /** Records of what is applied wait to be written. */
  readonly mvcc: { readonly hasWrites: boolean }
}

export interface DriverOptions extends Pick<ReplicaParts, 'transport' | 'clock' | 'isFailed'> {
  readonly raft: Raft
  readonly durable: DriverDisk
  /** False: the member has stopped, what is applied is written by `close()` only. */
  isServing(): boolean
  /** A batch is durable: its entries are to be applied, and its reads answered. */
  onBatch(ready: Ready): void
  /** Everything is done that can be done now, and no batch is being written. */
  onIdle(): void
  /** A write failed: nothing that waits for one will come about. */
  onFailed(): void
}

/**
 * The loop between the core, the disk and the others (store/raft/ready.ts has the contract). One batch is written at a
 * time; the core takes messages, ticks and requests meanwhile, and what gathers shares the next batch.
 *
 *     drive ─▶ messages leave ─▶ ready ─┬─mustSync─▶ durable batch ─┐
 *                 ▲                     └────────────────────────────┴─▶ advance ─▶ answers leave ─▶ onBatch
 *                 └───────────────────────────────────────────────────────────────────────────────────┘
 */
export class Driver {
  readonly #options: DriverOptions
  readonly #raft: Raft
  readonly #durable: DriverDisk
  /** The batch, or the records alone, that are being written. */
  #writing: Promise<void> | undefined
  /** An arrived state was given to the core, which may be installing it. */
  #expecting = false
  #pokeScheduled = false
  #flushScheduled = false
  #closed = false

  constructor(options: DriverOptions) {
    this.#options = options
    this.#raft = options.raft
    this.#durable = options.durable
  }

  get isWriting(): boolean {
    return this.#writing !== undefined
  }

  /** An arrived state may be on its way into use: no other may take its place. */
  get installs(): boolean {
    return this.#expecting
  }

  /** Makes a call to the core, and does what follows from it at the end of this turn. */
  drive<T>(call: (raft: Raft) => T): T {
    const result = call(this.#raft)
    this.poke()
    return result
  }

  /** Gives the core a message of another member; one with a state that has arrived may install it. */
  step(message: Message): void {
    if (message.type === 'snapshot') this.#expecting = true
    this.drive((raft) => raft.step(message))
  }

  /** Runs the loop at the end of this turn: messages that came together are answered together. */
  poke(): void {
    if (this.#pokeScheduled) return
    this.#pokeScheduled = true
    queueMicrotask(() => {
      this.#pokeScheduled = false
      this.pump()
    })
  }

  /** Everything that can be done until a batch has to be durable. */
  pump(): void {
    if (this.#closed) return
    this.#sendAll(this.#raft.messages())
    while (this.#writing === undefined && !this.#options.isFailed()) {
      const ready = this.#raft.ready()
      this.#expecting = ready?.snapshot !== undefined
      if (ready === undefined) break
      this.#sendAll(ready.messages)
      if (ready.mustSync) {
        this.#writing = this.#persist(ready)
        return
      }
      if (ready.hardState !== undefined) this.#durable.note(ready.hardState)
      this.#finish(ready)
    }
    this.#options.onIdle()
    this.#scheduleFlush()
  }

  /** Writes what is applied; the view of it, or undefined when the disk refused. */
  async stableView(): Promise<DatabaseView | undefined> {
    await this.#written()
    if (this.#durable.mvcc.hasWrites && this.#options.isServing()) {
      this.#writing = this.#flush()
      await this.#writing
    }
    return this.#options.isServing() ? this.#durable.view() : undefined
  }

  /** Ends the loop once what is being written is; `finish` then answers what waits. Writes what is applied, if sound. */
  async close(finish: () => void, isSound: () => boolean): Promise<void> {
    await this.#written()
    this.#closed = true
    finish()
    await this.#durable.close(isSound())
  }

  async #written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  async #persist(ready: Ready): Promise<void> {
    const written = await this.#durable.persist(ready)
    this.#writing = undefined
    if (!written || this.#options.isFailed()) {
      this.#options.onFailed()
      return
    }
    this.#finish(ready)
    this.pump()
  }

  #finish(ready: Ready): void {
    this.#durable.persisted(ready)
    this.#raft.advance()
    this.#sendAll(ready.messagesAfterPersist)
    this.#options.onBatch(ready)
  }

  /** Bounds how much a restart has to apply again, when no further proposal takes the records along. */
  #scheduleFlush(): void {
    if (this.#flushScheduled || !this.#mayFlush()) return
    this.#flushScheduled = true
    this.#options.clock.after(flushDelayMs, () => {
      this.#flushScheduled = false
      if (this.#mayFlush()) this.#writing = this.#flush()
    })
  }

  #mayFlush(): boolean {
    return this.#writing === undefined && this.#options.isServing() && this.#durable.mvcc.hasWrites
  }

  async #flush(): Promise<void> {
    await this.#durable.flush()
    this.#writing = undefined
    if (this.#options.isFailed()) this.#options.onFailed()
    this.pump()
  }

  #sendAll(messages: readonly Message[]): void {
    const { transport } = this.#options
    for (const message of messages) {
      if (message.type !== 'snapshot') {
        transport.send(message)
        continue
      }
      this.#durable.keepLogLonger()
      transport.sendSnapshot(message, this.#durable.view())
    }
  }
}

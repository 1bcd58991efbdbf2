/**
 * A state on its way to another member: its records in key order, a megabyte at a time, then their number. Memory on
 * both sides is a few chunks. A transfer that breaks off begins anew.
 */
import type { Clock } from '../contract.ts'
import type { DatabaseView } from '../disk/database.ts'
import type { SnapshotReceiver } from '../member/transport.ts'
import type { InstallSnapshot } from '../raft/message.ts'
import type { PeerAddress } from './address.ts'
import { Channel } from './channel.ts'
import { type Frame, type Hello, recordsCrc } from './frames.ts'
import { dial, type PeerTls } from './sockets.ts'
import { describeView, stateRecords } from './state-records.ts'

/** Nothing heard or taken for so long: the transfer has failed. */
const silenceMaxMs = 20_000

export interface SendOptions {
  readonly address: PeerAddress
  readonly tls: PeerTls | undefined
  readonly hello: Hello
  readonly clock: Clock
  readonly message: InstallSnapshot
  readonly view: DatabaseView
  /** Aborted: the transfer breaks off at once. */
  readonly signal: AbortSignal
}

/** Streams the view; true when the other side has it all and its core was told. */
export async function sendSnapshot(options: SendOptions): Promise<boolean> {
  const { view, message, clock, signal } = options
  let heard: (frame: Frame | undefined) => void = () => {}
  const next = (): Promise<Frame | undefined> =>
    new Promise((resolve) => {
      heard = resolve
    })
  const channel = new Channel(dial(options.address, options.tls), {
    onFrame: (frame) => heard(frame),
    onClosed: () => heard(undefined),
  })
  const cut = (): void => channel.cut('this member closes')
  signal.addEventListener('abort', cut, { once: true })
  let last = clock.monotonicMs()
  let ended = false
  const watch = (): void => {
    clock.after(1000, () => {
      if (ended) return
      if (channel.takeHeard()) last = clock.monotonicMs()
      if (clock.monotonicMs() - last > silenceMaxMs) channel.close('no answer')
      else watch()
    })
  }
  watch()
  try {
    const welcome = next()
    channel.send(options.hello)
    if ((await welcome)?.kind !== 'welcome') return false
    const snapshot = await describeView(view)
    if (snapshot === undefined || snapshot.index < message.snapshot.index) return false
    const received = next()
    channel.send({ kind: 'message', message: { ...message, snapshot } })
    let count = 0
    for await (const records of stateRecords(view)) {
      channel.send({ kind: 'records', records, crc: recordsCrc(records) })
      count += records.length
      await channel.drained()
      last = clock.monotonicMs()
      if (channel.isClosed) return false
    }
    channel.send({ kind: 'end', records: count })
    return (await received)?.kind === 'received'
  } finally {
    ended = true
    signal.removeEventListener('abort', cut)
    channel.close('done')
    await view.close()
  }
}

export interface ReceptionEvents {
  /** A state begins to arrive; undefined: not now. */
  onSnapshot(message: InstallSnapshot): Promise<SnapshotReceiver | undefined>
  /** For the log. */
  onProblem(reason: string): void
}

/** Takes the frames of one transfer in order, one at a time. */
export class SnapshotReception {
  readonly #channel: Channel
  readonly #events: ReceptionEvents
  /** Settles when everything that came so far has been dealt with; never rejects. */
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #message: InstallSnapshot | undefined
  #receiver: SnapshotReceiver | undefined
  #records = 0
  #ended = false

  constructor(channel: Channel, events: ReceptionEvents) {
    this.#channel = channel
    this.#events = events
  }

  /** Settles when what came so far has been dealt with: after the channel was closed, for good. */
  settled(): Promise<void> {
    return this.#work
  }

  onFrame(frame: Frame): void {
    this.#waiting++
    this.#channel.pause()
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#ended) await this.#take(frame)
      } catch (error) {
        await this.#fail(describe(error))
      }
      if (--this.#waiting === 0) this.#channel.resume()
    })
  }

  onClosed(): void {
    this.#work = this.#work.then(async () => {
      if (!this.#ended) await this.#abandon()
    })
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === 'message' && frame.message.type === 'snapshot' && this.#message === undefined) {
      this.#message = frame.message
      this.#receiver = await this.#events.onSnapshot(frame.message)
      if (this.#receiver === undefined) await this.#fail('not wanted now')
    } else if (frame.kind === 'records' && this.#receiver !== undefined) {
      if (recordsCrc(frame.records) !== frame.crc) return this.#fail('checksum does not match')
      this.#records += frame.records.length
      await this.#receiver.write(frame.records)
    } else if (frame.kind === 'end' && this.#message !== undefined && frame.records === this.#records) {
      this.#ended = true
      await this.#receiver?.complete(this.#message)
      this.#channel.send({ kind: 'received' })
    } else await this.#fail(`${frame.kind} out of place`)
  }

  async #fail(reason: string): Promise<void> {
    this.#ended = true
    this.#channel.send({ kind: 'refused', text: reason })
    this.#channel.close(reason)
    await this.#abandon()
  }

  /** What has arrived is of no use. When it cannot be removed, the next transfer or start tries again. */
  async #abandon(): Promise<void> {
    this.#ended = true
    try {
      await this.#receiver?.abandon()
    } catch (error) {
      this.#events.onProblem(`removing a state that has not arrived: ${describe(error)}`)
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import type { Clock, Timer } from '../contract.ts'
import type { PeerAddress } from './address.ts'
import { Channel } from './channel.ts'
import type { Frame, Hello } from './frames.ts'
import { dial, type PeerTls } from './sockets.ts'

export interface OutgoingOptions {
  readonly address: PeerAddress
  readonly tls: PeerTls | undefined
  readonly hello: Hello
  readonly clock: Clock
  onFrame(frame: Frame): void
  onConnected(): void
  onLost(): void
  /** For the log; the same reason is told once in a row. */
  onProblem(reason: string): void
}

const retryMinMs = 50
const retryMaxMs = 1000
const pingMs = 1000
/** Without a word for so many pings the connection counts as dead. */
const silentPingsMax = 4
/** More than the flow control of the core lets gather; beyond it messages are lost, which the core repairs. */
const waitingBytesMax = 64 * 1024 * 1024

/** The connection to one other member, made again whenever it is lost: 50 ms after, doubling to 1 s. */
export class Outgoing {
  readonly #options: OutgoingOptions
  #channel: Channel | undefined
  #welcomed = false
  #retryMs = retryMinMs
  #timer: Timer | undefined
  #silentPings = 0
  #lastProblem = ''
  #closed = false

  constructor(options: OutgoingOptions) {
    this.#options = options
  }

  get isConnected(): boolean {
    return this.#welcomed
  }

  start(): void {
    const { address, tls, hello } = this.#options
    this.#silentPings = 0
    const channel = new Channel(dial(address, tls), {
      onFrame: (frame) => this.#onFrame(frame),
      onClosed: (reason) => this.#onClosed(reason),
    })
    this.#channel = channel
    channel.send(hello)
    this.#watch()
  }

  /** The other side is there: what waits for the next attempt waits no more. */
  hurry(): void {
    if (this.#closed || this.#channel !== undefined) return
    this.#timer?.cancel()
    this.#retryMs = retryMinMs
    this.start()
  }

  /** False: certainly not sent. */
  send(frame: Frame): boolean {
    const channel = this.#channel
    if (!this.#welcomed || channel === undefined || channel.waitingBytes > waitingBytesMax) return false
    return channel.send(frame)
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#channel?.close('this member closes it')
  }

  #watch(): void {
    this.#timer = this.#options.clock.after(pingMs, () => {
      const channel = this.#channel
      if (channel === undefined) return
      this.#silentPings = channel.takeHeard() ? 0 : this.#silentPings + 1
      if (this.#silentPings >= silentPingsMax) {
        channel.close('no answer')
        return
      }
      if (this.#welcomed) channel.send({ kind: 'ping' })
      this.#watch()
    })
  }

  #onFrame(frame: Frame): void {
    if (frame.kind === 'welcome') {
      this.#welcomed = true
      this.#retryMs = retryMinMs
      this.#lastProblem = ''
      this.#options.onConnected()
    } else if (frame.kind === 'refused') {
      this.#retryMs = retryMaxMs
      this.#channel?.close(frame.text)
    } else if (this.#welcomed) {
      this.#options.onFrame(frame)
    }
  }

  #onClosed(reason: string): void {
    this.#channel = undefined
    this.#timer?.cancel()
    const was = this.#welcomed
    this.#welcomed = false
    if (this.#closed) return
    if (reason !== this.#lastProblem) this.#options.onProblem(reason)
    this.#lastProblem = reason
    this.#timer = this.#options.clock.after(this.#retryMs, () => this.start())
    this.#retryMs = Math.min(this.#retryMs * 2, retryMaxMs)
    if (was) this.#options.onLost()
  }
}

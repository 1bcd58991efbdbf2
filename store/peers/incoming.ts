import type { Server, Socket } from 'node:net'
import type { Clock } from '../contract.ts'
import type { TransportEvents } from '../member/transport.ts'
import { memberId, term } from '../raft/types.ts'
import { Channel } from './channel.ts'
import { type Frame, type Hello, peerVersion } from './frames.ts'
import { SnapshotReception } from './snapshot-stream.ts'
import { createPeerServer, type PeerTls } from './sockets.ts'

export interface IncomingOptions {
  readonly own: number
  readonly clusterId: string
  readonly tls: PeerTls | undefined
  readonly clock: Clock
  readonly events: TransportEvents
  /** Takes part, as far as this member knows. */
  knows(id: number): boolean
  /** Somebody of this cluster whom this member does not know. True: it may have joined since, and is known from now on. */
  meet(hello: Hello): boolean
  /** What a joining member of this name needs to know, or why it may not join. */
  onJoin(name: string): Promise<{ readonly ok: boolean; readonly text: string }>
  /** A member has connected: it can be reached, as far as that can be told. */
  onArrival(id: number): void
  onProblem(reason: string): void
}

const greetingMs = 5000
/** How long others may take to read what was sent before their connections are closed. */
const closeMaxMs = 1000

/** The listening side: lets members in, and turns what they send into events. */
export class Incoming {
  readonly server: Server
  readonly #options: IncomingOptions
  readonly #channels = new Set<Channel>()
  /** Before and under TLS: what has to end for the server to close. */
  readonly #sockets = new Set<Socket>()
  /** The one connection for messages of each member: a newer one ends the one before. */
  readonly #messages = new Map<number, Channel>()
  /** The one transfer of each member, likewise. */
  readonly #snapshots = new Map<number, Channel>()
  readonly #receptions = new Set<SnapshotReception>()

  constructor(options: IncomingOptions) {
    this.#options = options
    this.server = createPeerServer(
      options.tls,
      (socket) => this.#onSocket(socket),
      (reason) => options.onProblem(`refused a connection without a good certificate: ${reason}`),
    )
    this.server.on('error', (error) => options.onProblem(`listening: ${error.message}`))
    this.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /** Settles when every connection is closed, and what arrived over it has been dealt with. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    const receptions = [...this.#receptions]
    for (const channel of [...this.#channels]) channel.close('this member closes')
    for (const socket of this.#sockets) socket.destroySoon()
    const late = this.#options.clock.after(closeMaxMs, () => {
      for (const socket of this.#sockets) socket.destroy()
    })
    await closed
    late.cancel()
    await Promise.all(receptions.map((reception) => reception.settled()))
  }

  /** Ends connections of members that take part no more. */
  retain(): void {
    for (const [id, channel] of this.#messages) {
      if (!this.#options.knows(id)) channel.close('no member any more')
    }
  }

  #onSocket(socket: Socket): void {
    const who = `${socket.remoteAddress ?? 'somebody'}:${socket.remotePort ?? 0}`
    let take: ((frame: Frame) => void) | undefined
    let gone = (): void => {}
    const channel = new Channel(socket, {
      onFrame: (frame) => {
        if (take !== undefined) take(frame)
        else if (frame.kind !== 'hello') refuse('no greeting')
        else if (frame.purpose === 'join' && frame.version === peerVersion) {
          take = () => {}
          void this.#answerJoin(frame.name).then(({ ok, text }) => {
            if (ok) channel.send({ kind: 'welcome', text })
            else refuse(text)
          })
        } else {
          const problem = this.#problemWith(frame)
          if (problem !== undefined) refuse(problem)
          else [take, gone] = this.#welcome(channel, frame)
        }
      },
      onClosed: () => {
        this.#channels.delete(channel)
        gone()
      },
    })
    const refuse = (reason: string): void => {
      this.#options.onProblem(`refused ${who}: ${reason}`)
      channel.send({ kind: 'refused', text: reason })
      channel.close(reason)
    }
    this.#channels.add(channel)
    this.#options.clock.after(greetingMs, () => {
      if (take === undefined) channel.close('no greeting in time')
    })
  }

  async #answerJoin(name: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    try {
      return await this.#options.onJoin(name)
    } catch (error) {
      return { ok: false, text: error instanceof Error ? error.message : String(error) }
    }
  }

  #problemWith(hello: Hello): string | undefined {
    const { version, clusterId, from, to, purpose, name } = hello
    const { own, clusterId: ownCluster, knows, meet } = this.#options
    if (version !== peerVersion)
      return `it speaks version ${version} of the protocol, this member ${peerVersion}`
    if (purpose === 'join') return 'it asks twice'
    if (clusterId !== ownCluster)
      return `it belongs to cluster ${clusterId || '-'}, this member to ${ownCluster}`
    if (to !== own) return `it looks for member ${to}, this is member ${own}`
    return knows(from) || meet(hello)
      ? undefined
      : `member ${from} (${name}) does not take part in this cluster`
  }

  #welcome(channel: Channel, hello: Hello): [(frame: Frame) => void, () => void] {
    const { events } = this.#options
    channel.send({ kind: 'welcome', text: '' })
    switch (hello.purpose) {
      case 'join':
        return [() => {}, () => {}]
      case 'snapshot': {
        const from = memberId(hello.from)
        const reception = new SnapshotReception(channel, {
          onSnapshot: async (message) =>
            message.from === from && message.to === this.#options.own
              ? events.onSnapshot(message)
              : undefined,
          onProblem: (reason) => this.#options.onProblem(reason),
        })
        this.#receptions.add(reception)
        const forget = takePlace(this.#snapshots, hello.from, channel)
        const gone = (): void => {
          forget()
          reception.onClosed()
          void reception.settled().then(() => this.#receptions.delete(reception))
        }
        return [(frame) => reception.onFrame(frame), gone]
      }
      case 'messages': {
        const gone = takePlace(this.#messages, hello.from, channel)
        this.#options.onArrival(hello.from)
        return [(frame) => this.#onFrame(channel, hello.from, frame), gone]
      }
    }
  }

  #onFrame(channel: Channel, from: number, frame: Frame): void {
    const { events, own } = this.#options
    switch (frame.kind) {
      case 'message':
        if (frame.message.from === from && frame.message.to === own && frame.message.type !== 'snapshot') {
          events.onMessage(frame.message)
        } else channel.close('a message of somebody else')
        return
      case 'forward': {
        const { sequence, data } = frame
        const taken = events.onForward({ term: term(frame.term), sequence, data })
        if (!taken) channel.send({ kind: 'forwardRefused', sequence })
        return
      }
      case 'digest':
        events.onDigest(memberId(from), frame.index, frame)
        return
      case 'question':
        void events
          .onQuestion(frame.text)
          .then((text) => channel.send({ kind: 'answer', id: frame.id, text }))
        return
      case 'ping':
        channel.send({ kind: 'pong' })
        return
      default:
        channel.close(`${frame.kind} out of place`)
    }
  }
}

/** Makes `channel` the one of the member, in place of an older one. Returns what is to be done when it is closed. */
function takePlace(channels: Map<number, Channel>, id: number, channel: Channel): () => void {
  channels.get(id)?.close('a newer connection took its place')
  channels.set(id, channel)
  return () => {
    if (channels.get(id) === channel) channels.delete(id)
  }
}

/**
 * Member to member: the transport of a replica over TCP, with mutual TLS or on the loopback. Each member dials each
 * other; what it sends travels on its own connection, and a snapshot on one beside it.
 */
import { type Clock, fail, ok, type Result } from '../contract.ts'
import type { DatabaseView } from '../disk/database.ts'
import type { MemberRecord } from '../member/membership.ts'
import type { Forward, Transport, TransportEvents } from '../member/transport.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import type { InstallSnapshot, Message } from '../raft/message.ts'
import { type MemberId, memberId } from '../raft/types.ts'
import { type PeerAddress, parseAddress } from './address.ts'
import { type Frame, type Hello, type Purpose, peerVersion } from './frames.ts'
import { Incoming } from './incoming.ts'
import { Outgoing } from './outgoing.ts'
import { sendSnapshot } from './snapshot-stream.ts'
import type { PeerTls } from './sockets.ts'

export interface PeersOptions {
  readonly id: MemberId
  readonly name: string
  readonly clusterId: string
  /** `host:port` at which the others reach this member. */
  readonly address: string
  readonly listen: PeerAddress
  readonly tls: PeerTls | undefined
  readonly clock: Clock
  readonly events: TransportEvents
  onJoin(name: string): Promise<{ readonly ok: boolean; readonly text: string }>
  /** Connections refused, lost or not made: for the log. */
  onProblem(reason: string): void
}

/** The operating system refused the address; `message` is for the operator. */
export type CannotListen = { readonly code: 'CannotListen'; readonly message: string }

const questionMs = 5000
const lastWordMs = 1000
/** More than any change of membership adds while a member is away. */
const newcomersMax = 16

interface Peer {
  readonly record: MemberRecord
  readonly address: PeerAddress
  readonly outgoing: Outgoing
}

/** Listens for other members and connects to them; fails when the address is taken. */
export async function startPeers(options: PeersOptions): Promise<Result<Transport, CannotListen>> {
  const peers = new Peers(options)
  const { host, port } = options.listen
  const server = peers.incoming.server
  const problem = await new Promise<Error | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen(port, host, () => resolve(undefined))
  })
  if (problem === undefined) return ok(peers)
  const message = `cannot listen for members at ${host}:${port}: ${problem.message}`
  return fail({ code: 'CannotListen', message })
}

class Peers implements Transport {
  readonly incoming: Incoming
  readonly #options: PeersOptions
  readonly #peers = new Map<MemberId, Peer>()
  readonly #questions = new Map<number, (text: string | undefined) => void>()
  #members = new Set<number>()
  /** Ids from here on are of members that this one has not heard of. */
  #nextId = 1
  /** Members that have introduced themselves. */
  readonly #newcomers = new Map<number, MemberRecord>()
  /** Connections to members that take part no more, for as long as a last word may take. */
  readonly #leaving = new Set<Outgoing>()
  /** States on their way to others. */
  readonly #transfers = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #lastQuestion = 0

  constructor(options: PeersOptions) {
    this.#options = options
    this.incoming = new Incoming({
      own: options.id,
      clusterId: options.clusterId,
      tls: options.tls,
      clock: options.clock,
      events: options.events,
      knows: (id) => this.#members.has(id) || this.#newcomers.has(id),
      meet: (hello) => this.#meet(hello),
      onJoin: (name) => options.onJoin(name),
      onArrival: (id) => this.#onArrival(memberId(id)),
      onProblem: (reason) => options.onProblem(reason),
    })
  }

  send(message: Exclude<Message, InstallSnapshot>): void {
    const sent = this.#peers.get(message.to)?.outgoing.send({ kind: 'message', message }) ?? false
    if (!sent && message.type === 'append') this.#options.events.onUnreachable(message.to)
  }

  sendSnapshot(message: InstallSnapshot, view: DatabaseView): void {
    const peer = this.#peers.get(message.to)
    const { tls, clock, events } = this.#options
    const sent =
      peer === undefined
        ? view.close().then(() => false)
        : sendSnapshot({
            address: peer.address,
            tls,
            clock,
            hello: this.#hello('snapshot', message.to),
            message,
            view,
            signal: this.#ending.signal,
          }).catch((error: unknown) => {
            this.#options.onProblem(`sending the state to member ${message.to}: ${describe(error)}`)
            return false
          })
    const transfer = sent.then((delivered) => {
      this.#transfers.delete(transfer)
      events.onSnapshotSent(message.to, delivered)
    })
    this.#transfers.add(transfer)
  }

  forward(to: MemberId, { term, sequence, data }: Forward): boolean {
    return this.#peers.get(to)?.outgoing.send({ kind: 'forward', term, sequence, data }) ?? false
  }

  sendDigest(to: MemberId, index: number, { high, low, records }: DigestValue): void {
    this.#peers.get(to)?.outgoing.send({ kind: 'digest', index, high, low, records })
  }

  ask(to: MemberId, question: string): Promise<string | undefined> {
    const id = ++this.#lastQuestion
    const sent = this.#peers.get(to)?.outgoing.send({ kind: 'question', id, text: question }) ?? false
    if (!sent) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(questionMs, () => this.#questions.get(id)?.(undefined))
      this.#questions.set(id, (text) => {
        this.#questions.delete(id)
        timer.cancel()
        resolve(text)
      })
    })
  }

  setMembers(members: readonly MemberRecord[], nextId: number): void {
    if (this.#closed) return
    this.#members = new Set(members.map(({ id }) => id))
    this.#nextId = Math.max(this.#nextId, nextId)
    for (const id of [...this.#newcomers.keys()]) if (id < this.#nextId) this.#newcomers.delete(id)
    for (const [id, { record, outgoing }] of this.#peers) {
      const now = members.find((member) => member.id === id) ?? this.#newcomers.get(id)
      if (now?.address === record.address) continue
      this.#peers.delete(id)
      // A last word may be on its way: what the member needs to learn of its removal.
      this.#leaving.add(outgoing)
      this.#options.clock.after(lastWordMs, () => {
        this.#leaving.delete(outgoing)
        outgoing.close()
      })
    }
    for (const record of members) this.#add(record)
    this.incoming.retain()
  }

  async close(): Promise<void> {
    this.#ending.abort()
    for (const { outgoing } of this.#peers.values()) outgoing.close()
    for (const outgoing of this.#leaving) outgoing.close()
    this.#peers.clear()
    for (const answer of [...this.#questions.values()]) answer(undefined)
    await Promise.all([this.incoming.close(), ...this.#transfers])
  }

  get #closed(): boolean {
    return this.#ending.signal.aborted
  }

  #add(record: MemberRecord): void {
    const { id, name } = record
    const address = parseAddress(record.address)
    if (id === this.#options.id || this.#peers.has(id) || !address.ok) return
    const { tls, clock, events } = this.#options
    const outgoing = new Outgoing({
      address: address.value,
      tls,
      clock,
      hello: this.#hello('messages', id),
      onFrame: (frame) => this.#onAnswer(frame),
      onConnected: () => events.onConnected(id),
      onLost: () => events.onUnreachable(id),
      onProblem: (reason) =>
        this.#options.onProblem(`member ${id} (${name}) at ${record.address}: ${reason}`),
    })
    this.#peers.set(id, { record, address: address.value, outgoing })
    outgoing.start()
  }

  /**
   * It joined while this member was away, and may lead by now: to hear of the change in the log, this one must listen
   * to it and answer. Ids are never given twice, so that nobody who was removed gets in like this.
   */
  #meet({ from, name, address }: Hello): boolean {
    const isNew = from >= this.#nextId && from !== this.#options.id
    if (this.#closed || !isNew || !parseAddress(address).ok || this.#newcomers.size >= newcomersMax)
      return false
    const record = { id: memberId(from), name, address }
    this.#newcomers.set(from, record)
    this.#add(record)
    return true
  }

  /** A member that connects is there: the way to it is made now, and what it had no way to answer may be asked again. */
  #onArrival(id: MemberId): void {
    const outgoing = this.#peers.get(id)?.outgoing
    if (outgoing?.isConnected === true) this.#options.events.onConnected(id)
    else outgoing?.hurry()
  }

  #onAnswer(frame: Frame): void {
    if (frame.kind === 'forwardRefused') this.#options.events.onForwardRefused(frame.sequence)
    else if (frame.kind === 'answer') this.#questions.get(frame.id)?.(frame.text)
  }

  #hello(purpose: Purpose, to: number): Hello {
    const { id, name, clusterId, address } = this.#options
    return { kind: 'hello', version: peerVersion, purpose, clusterId, from: id, to, name, address }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

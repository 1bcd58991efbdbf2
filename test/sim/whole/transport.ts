/**
 * The network between whole members, in place of sockets. What a member forwards travels on a connection: in order,
 * each once, and when something is lost, so is all after it, until a new connection is made. Messages of the core
 * travel like that in some worlds, and in others each for itself: lost, repeated, late. A state is streamed record by record.
 */
import type { MemberRecord } from '../../../store/member/membership.ts'
import type { Transport } from '../../../store/member/transport.ts'
import type { Frame } from '../../../store/peers/frames.ts'
import type { JoinOptions } from '../../../store/peers/join.ts'
import type { PeersOptions } from '../../../store/peers/peers.ts'
import { type MemberId, memberId, term } from '../../../store/raft/types.ts'
import type { Network } from '../network.ts'
import type { Random } from '../prng.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Life } from './life.ts'
import { packed } from './packing.ts'
import { streamState } from './state-stream.ts'

interface Endpoint {
  readonly machine: MemberId
  readonly life: Life
  readonly options: PeersOptions
  /** Whether it lets this member in; one that it does not know introduces itself. */
  lets(member: MemberRecord): boolean
  /** The process at the other end is gone: connections to it break. */
  gone(other: Endpoint): void
}

export interface Switchboard {
  startPeers(machine: MemberId, life: Life, options: PeersOptions): Transport
  askToJoin(
    machine: MemberId,
    life: Life,
    options: JoinOptions,
  ): Promise<{ readonly ok: boolean; readonly text: string }>
  /** The machine's process is gone. */
  hangUp(machine: MemberId): void
}

interface SwitchboardOptions {
  readonly scheduler: Scheduler
  readonly network: Network
  readonly random: Random
  /** Messages of the core travel on connections, too. */
  readonly ordered: boolean
  /** Everything goes through the encoding of the wire. */
  readonly encoded: boolean
  /** Deliberate mistake: a leader does not know again what it has taken. */
  readonly forwardTwice: boolean
  observe(line: () => string): void
}

const portsFrom = 1000
export const addressOf = (machine: number): string => `127.0.0.1:${portsFrom + machine}`
const machineAt = (address: string): MemberId => memberId(Number(address.split(':')[1]) - portsFrom)

interface Connection {
  readonly there: Endpoint
  open: boolean
  sent: number
  received: number
  readonly held: Map<number, () => void>
}

export function createSwitchboard(options: SwitchboardOptions): Switchboard {
  const { network, random, observe } = options
  const endpoints = new Map<MemberId, Endpoint>()
  const transfersOf = new Map<MemberId, Set<() => void>>()
  const pack = options.encoded ? packed : (frame: Frame) => () => frame

  function hangUp(machine: MemberId): void {
    const leaving = endpoints.get(machine)
    endpoints.delete(machine)
    if (leaving !== undefined) for (const other of endpoints.values()) other.gone(leaving)
    const transfers = transfersOf.get(machine)
    transfersOf.delete(machine)
    for (const end of transfers ?? []) options.scheduler.after(random.between(1, 50), end)
  }

  /** Carries a call to whoever listens at the other end then. */
  function carry(
    from: MemberId,
    to: MemberId,
    large: boolean,
    arrive: (there: Endpoint) => void,
    lost: () => void,
  ): void {
    const deliver = () => {
      const there = endpoints.get(to)
      if (there === undefined) lost()
      else there.life.after(0, () => arrive(there))
    }
    network.carry({ from, to, large, deliver, lost })
  }

  /** Carries what was answered back to who asked. */
  function carryBack(
    there: Endpoint,
    { machine, life }: Pick<Endpoint, 'machine' | 'life'>,
    arrive: () => void,
    lost: () => void = () => {},
  ): void {
    const deliver = () => life.after(0, arrive)
    network.carry({ from: there.machine, to: machine, large: false, deliver, lost })
  }

  return {
    hangUp,
    startPeers: (machine, life, peers) => startPeers(machine, life, peers),
    async askToJoin(machine, life, { addresses, name }) {
      for (const address of addresses) {
        const answer = await new Promise<{ readonly ok: boolean; readonly text: string }>((resolve) => {
          const none = () => resolve({ ok: false, text: 'no answer' })
          life.after(200, none)
          carry(
            machine,
            machineAt(address),
            false,
            (there) => {
              void there.options
                .onJoin(name)
                .then((told) => carryBack(there, { machine, life }, () => resolve(told)))
            },
            () => {},
          )
        })
        if (answer.ok) return answer
      }
      return { ok: false, text: 'nobody answers' }
    },
  }

  function startPeers(machine: MemberId, life: Life, peers: PeersOptions): Transport {
    const { events } = peers
    const known = new Map<number, MemberRecord>()
    const newcomers = new Map<number, MemberRecord>()
    let nextId = 1
    const connections = new Map<number, Connection>()
    const transfers = new Set<() => void>()
    const endpoint: Endpoint = {
      machine,
      life,
      options: peers,
      lets(member) {
        if (known.has(member.id)) return true
        if (member.id < nextId || member.id === peers.id) return false
        newcomers.set(member.id, member)
        known.set(member.id, member)
        connect(member.id)
        return true
      },
      gone(other) {
        for (const [id, connection] of connections) if (connection.there === other) disconnect(id, connection)
      },
    }
    endpoints.set(machine, endpoint)
    transfersOf.set(machine, transfers)

    const machineOf = (id: number): MemberId | undefined => {
      const record = known.get(id)
      return record === undefined ? undefined : machineAt(record.address)
    }
    /** The right member, which knows this one: anybody else closes the connection. */
    const isRight = (there: Endpoint, id: number): boolean =>
      there.options.id === id &&
      there.options.clusterId === peers.clusterId &&
      there.lets({ id: peers.id, name: peers.name, address: peers.address })

    function connect(id: number): void {
      life.after(random.between(2, 60), () => {
        const to = machineOf(id)
        if (to === undefined || connections.has(id)) return
        let tried = false
        const again = () => {
          if (tried) return
          tried = true
          life.after(50, () => connect(id))
        }
        // Whoever should answer may be gone.
        life.after(300, again)
        carry(
          machine,
          to,
          false,
          (there) => {
            if (!isRight(there, id)) return again()
            const connected = () => {
              if (endpoints.get(to) !== there) return again()
              if (machineOf(id) !== to || connections.has(id)) return
              connections.set(id, { there, open: true, sent: 0, received: 0, held: new Map() })
              events.onConnected(memberId(id))
            }
            carryBack(there, endpoint, connected, again)
          },
          again,
        )
      })
    }

    function disconnect(id: number, connection: Connection): void {
      if (!connection.open) return
      connection.open = false
      life.after(random.between(1, 100), () => {
        if (connections.get(id) === connection) connections.delete(id)
        events.onUnreachable(memberId(id))
        connect(id)
      })
    }

    /** In order on the connection, or for itself. False: there is no connection. */
    function post(id: number, ordered: boolean, large: boolean, arrive: (there: Endpoint) => void): boolean {
      const to = machineOf(id)
      const connection = connections.get(id)
      if (to === undefined || (ordered && connection?.open !== true)) return false
      const take = (there: Endpoint) => {
        if (isRight(there, id)) arrive(there)
      }
      if (!ordered || connection === undefined) {
        carry(machine, to, large, take, () => {
          if (random.chance(0.3)) life.after(20, () => events.onUnreachable(memberId(id)))
        })
        return true
      }
      const place = connection.sent++
      const lose = () => disconnect(id, connection)
      carry(
        machine,
        to,
        large,
        (there) => {
          if (there !== connection.there) return lose()
          if (place < connection.received) return
          connection.held.set(place, () => take(there))
          for (let next = connection.held.get(connection.received); next !== undefined; ) {
            connection.held.delete(connection.received++)
            next()
            next = connection.held.get(connection.received)
          }
        },
        lose,
      )
      return true
    }

    return {
      send(message) {
        observe(() => `${machine} sends ${message.type} to member ${message.to}`)
        const large = message.type === 'append' && message.entries.length > 0
        const frame: Frame = { kind: 'message', message }
        const unpacked = pack(frame)
        const sent = post(message.to, options.ordered, large, (there) => {
          const arrived = unpacked()
          if (arrived.kind === 'message') there.options.events.onMessage(arrived.message)
        })
        if (!sent && message.type === 'append') events.onUnreachable(message.to)
      },
      forward(to, forward) {
        const connection = connections.get(to)
        const unpacked = pack({ kind: 'forward', ...forward })
        return post(to, true, true, (there) => {
          const frame = unpacked()
          if (frame.kind !== 'forward') return
          const { sequence, data } = frame
          const taken = there.options.events.onForward({ term: term(frame.term), sequence, data })
          if (taken && options.forwardTwice) {
            there.options.events.onForward({ term: term(frame.term), sequence: sequence + 0.5, data })
          }
          if (taken) return
          const refused = () => {
            if (connection?.open === true) events.onForwardRefused(sequence)
          }
          carryBack(there, endpoint, refused, () => {
            if (connection !== undefined) disconnect(to, connection)
          })
        })
      },
      sendDigest(to, index, digest) {
        post(to, true, false, (there) => there.options.events.onDigest(peers.id as MemberId, index, digest))
      },
      ask(to, question) {
        return new Promise((resolve) => {
          life.after(300, () => resolve(undefined))
          const sent = post(to, true, false, (there) => {
            void there.options.events
              .onQuestion(question)
              .then((text) => carryBack(there, endpoint, () => resolve(text)))
          })
          if (!sent) resolve(undefined)
        })
      },
      sendSnapshot(message, view) {
        const to = machineOf(message.to)
        const delivered =
          to === undefined
            ? Promise.resolve(false)
            : streamState<Endpoint>({
                message,
                view,
                life,
                transfers,
                carry: (arrive, lost) => carry(machine, to, true, arrive, lost),
                carryBack: (there, arrive, lost) => carryBack(there, endpoint, arrive, lost),
                isRight: (there) => isRight(there, message.to),
              })
        void delivered
          .catch(() => false)
          .then(async (done) => {
            await view.close()
            observe(() => `${machine} has streamed its state to member ${message.to}: ${done}`)
            events.onSnapshotSent(message.to, done)
          })
      },
      setMembers(members, next) {
        const before = [...known.keys()]
        known.clear()
        nextId = Math.max(nextId, next)
        for (const id of [...newcomers.keys()]) if (id < nextId) newcomers.delete(id)
        for (const record of [...newcomers.values(), ...members]) {
          if (record.id !== peers.id && record.address !== '') known.set(record.id, record)
        }
        for (const id of before) if (!known.has(id)) connections.delete(id)
        for (const id of known.keys()) if (!before.includes(id)) connect(id)
      },
      async close() {
        if (endpoints.get(machine) === endpoint) hangUp(machine)
      },
    }
  }
}

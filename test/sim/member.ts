/** The simple member: the real core under a driver that keeps the contract of store/raft/ready.ts, or breaks it on order. */
import { decodeConfiguration, emptyConfiguration } from '../../store/raft/configuration.ts'
import type { Message } from '../../store/raft/message.ts'
import { createRaft } from '../../store/raft/raft.ts'
import type { Ready } from '../../store/raft/ready.ts'
import { createLogTail } from '../../store/raft/tail.ts'
import {
  type Configuration,
  type Entry,
  type LogIndex,
  logIndex,
  type MemberId,
  type Term,
  term,
} from '../../store/raft/types.ts'
import type {
  Checkpoint,
  MemberEnvironment,
  MemberFactory,
  PutAnswer,
  ReadAnswer,
  WatchListener,
} from './contract.ts'
import { type Command, commandOf, createKv, emptyImage, encodeCommand, type KvEvent } from './kv.ts'

/** The state before everything: the bootstrap voters, or nobody for a member that joins. */
export function firstCheckpoint(configuration: Configuration = emptyConfiguration): Checkpoint {
  return { index: logIndex(0), term: term(0), configuration, kv: emptyImage }
}

interface Waiter {
  readonly term: Term
  readonly answer: (answer: PutAnswer) => void
}

interface Reader {
  readonly key: string
  readonly answer: (answer: ReadAnswer) => void
}

interface Watcher {
  next: number
  readonly listener: WatchListener
}

export const createSimpleMember: MemberFactory = (environment: MemberEnvironment) => {
  const { id, disk, faults, observer, random } = environment
  const image = disk.read()
  let checkpoint = image.checkpoint
  let kv = createKv(checkpoint.kv, faults)
  let at = { index: checkpoint.index, term: checkpoint.term }
  let configuration = checkpoint.configuration
  const hardState = faults.forgetVote ? { ...image.hardState, vote: undefined } : image.hardState
  const tail = createLogTail({
    initial: { hardState, applied: at.index, configuration },
    before: image.before,
    entries: image.entries,
    snapshot: () => (checkpoint.index > 0 ? checkpoint : undefined),
  })
  observer.started(id, image.before, image.entries, image.hardState)
  observer.restored(id, checkpoint)
  const raft = createRaft({
    id,
    storage: tail,
    electionTicks: environment.electionTicks,
    heartbeatTicks: 1,
    random: (below) => random.below(below),
    rules: environment.rules,
    limits: environment.limits,
  })

  const boot = random.below(2 ** 30)
  let contexts = 0
  let writing = false
  /** Streamed data whose snapshot message the core has, by index. */
  const staged = new Map<LogIndex, Checkpoint>()
  const waiters = new Map<LogIndex, Waiter>()
  const readers = new Map<string, Reader>()
  const confirmed: { readonly index: LogIndex; readonly reader: Reader }[] = []
  const watchers = new Set<Watcher>()

  function sendAll(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type !== 'snapshot') {
        environment.send(message, undefined)
        continue
      }
      const { index, term, configuration: then } = checkpoint
      environment.send({ ...message, snapshot: { index, term, configuration: then } }, checkpoint)
    }
  }

  function pump(): void {
    sendAll(raft.messages())
    while (!writing) {
      const ready = raft.ready()
      if (ready === undefined) return
      observer.ready(id, ready)
      sendAll(ready.messages)
      if (faults.answerBeforeSync) sendAll(ready.messagesAfterPersist)
      persist(ready)
    }
  }

  function persist(ready: Ready): void {
    const { hardState, entries } = ready
    if (ready.snapshot === undefined && hardState === undefined && entries.length === 0) {
      finish(ready)
      return
    }
    const snapshot = unstage(ready)
    const batch = { hardState, entries, snapshot }
    if (!ready.mustSync) {
      disk.write(batch, false, () => {})
      finish(ready)
      return
    }
    writing = true
    disk.write(batch, true, () => {
      writing = false
      if (snapshot !== undefined) install(snapshot)
      finish(ready)
      pump()
    })
  }

  function unstage({ snapshot }: Ready): Checkpoint | undefined {
    if (snapshot === undefined) return undefined
    const data = staged.get(snapshot.index)
    if (data === undefined) throw new Error(`no data for the snapshot at ${snapshot.index}`)
    staged.clear()
    return data
  }

  function finish(ready: Ready): void {
    tail.append(ready.entries)
    raft.advance()
    if (!faults.answerBeforeSync) sendAll(ready.messagesAfterPersist)
    const committed = faults.applyOutOfOrder ? [...ready.committed].reverse() : ready.committed
    for (const entry of committed) apply(entry)
    for (const { context, index } of ready.readStates) confirm(context, index)
    for (const context of ready.readsLost) lose(context)
    answerReads()
    tellWatchers()
  }

  function apply(entry: Entry): void {
    at = { index: entry.index, term: entry.term }
    const before = kv.revision()
    const command = entry.type === 'command' ? commandOf(entry) : undefined
    const result = command === undefined ? undefined : kv.apply(command)
    if (entry.type === 'configuration') configuration = decodeConfiguration(entry.data).configuration
    observer.applied(id, entry, kv.hash(), eventOf(command, before))
    const waiter = waiters.get(entry.index)
    if (waiter === undefined) return
    waiters.delete(entry.index)
    const own = waiter.term === entry.term && result !== undefined
    if (own) waiter.answer(result)
    else if (waiter.term !== entry.term && !faults.answerReplaced)
      waiter.answer({ type: 'refused', leader: undefined })
    else waiter.answer({ type: 'done', revision: kv.revision() })
  }

  function eventOf(command: Command | undefined, before: number): KvEvent | undefined {
    if (command?.type !== 'put' || kv.revision() === before) return undefined
    return { key: command.key, value: command.value, revision: kv.revision() }
  }

  function install(next: Checkpoint): void {
    checkpoint = next
    kv = createKv(next.kv, faults)
    at = { index: next.index, term: next.term }
    configuration = next.configuration
    tail.reset(next)
    observer.restored(id, next)
    if (faults.loseEventsAtSnapshot)
      for (const watcher of watchers) watcher.next = Math.max(watcher.next, kv.revision() + 1)
    giveUpWaiters()
  }

  function confirm(context: string, index: LogIndex): void {
    const reader = readers.get(context)
    if (reader === undefined) return
    readers.delete(context)
    confirmed.push({ index: faults.readBeforeApplied ? logIndex(0) : index, reader })
  }

  function lose(context: string): void {
    const reader = readers.get(context)
    if (reader === undefined) return
    readers.delete(context)
    if (faults.serveAfterStepDown) reader.answer({ type: 'value', current: kv.get(reader.key) })
    else reader.answer({ type: 'refused' })
  }

  function answerReads(): void {
    for (const [i, { index, reader }] of [...confirmed.entries()].reverse()) {
      if (index > at.index) continue
      confirmed.splice(i, 1)
      reader.answer({ type: 'value', current: kv.get(reader.key) })
    }
  }

  function giveUpWaiters(): void {
    for (const [index, waiter] of [...waiters]) {
      waiters.delete(index)
      waiter.answer({ type: 'unknown' })
    }
  }

  function tellWatchers(): void {
    for (const watcher of watchers) tell(watcher)
  }

  function tell(watcher: Watcher): void {
    if (watcher.next > kv.revision()) return
    const events = kv.eventsFrom(watcher.next)
    if (events === undefined) {
      const list = kv.image()
      watcher.next = list.revision + 1
      watcher.listener.onCompacted(list)
      return
    }
    watcher.next = kv.revision() + 1
    watcher.listener.onEvents(events)
  }

  return {
    receive(message, payload) {
      if (message.type === 'snapshot' && payload !== undefined) {
        staged.set(message.snapshot.index, payload)
      }
      raft.step(message)
      pump()
    },
    tick() {
      raft.tick()
      pump()
    },
    put({ key, value, guard }, answer) {
      const command: Command =
        guard === undefined ? { type: 'put', key, value } : { type: 'put', key, value, guard }
      const proposed = raft.propose([encodeCommand(command)])
      if (!proposed.ok) {
        const leader = proposed.failure.code === 'NotLeader' ? proposed.failure.leader : undefined
        answer({ type: 'refused', leader })
        return
      }
      if (faults.answerAtAppend && guard === undefined) answer({ type: 'done', revision: kv.revision() + 1 })
      else waiters.set(proposed.value.first, { term: proposed.value.term, answer })
      pump()
    },
    read(key, answer) {
      const context = `${boot}-${contexts++}`
      readers.set(context, { key, answer })
      if (!raft.readIndex(context).ok) {
        readers.delete(context)
        answer({ type: 'refused' })
      }
      pump()
    },
    watch(from, listener) {
      const watcher = { next: from, listener }
      watchers.add(watcher)
      tell(watcher)
      return () => watchers.delete(watcher)
    },
    compact(revision) {
      raft.propose([encodeCommand({ type: 'compact', revision })])
      pump()
    },
    changeMembership(request) {
      raft.proposeMembership(request)
      pump()
    },
    transferLeadership(to) {
      raft.transferLeadership(to)
      pump()
    },
    checkpoint() {
      if (at.index <= checkpoint.index || writing) return
      const next: Checkpoint = { ...at, configuration, kv: kv.image() }
      const compactTo = logIndex(Math.max(tail.firstIndex() - 1, at.index - environment.keptEntries))
      writing = true
      disk.write({ checkpoint: next, compactTo }, true, () => {
        writing = false
        checkpoint = next
        tail.compact(compactTo)
        pump()
      })
    },
    snapshotSent(to: MemberId, delivered) {
      raft.reportSnapshot(to, delivered)
      pump()
    },
    status: () => raft.status(),
    revision: () => kv.revision(),
    applied: () => at.index,
  }
}

/** A handful of cores without time or disk, moved by commands; every step is written down in one line. */
import {
  configurationOf,
  decodeConfiguration,
  emptyConfiguration,
  type MembershipChange,
} from '../../../store/raft/configuration.ts'
import type { Message } from '../../../store/raft/message.ts'
import { createRaft, type Raft } from '../../../store/raft/raft.ts'
import type { Ready } from '../../../store/raft/ready.ts'
import type { InitialState } from '../../../store/raft/storage.ts'
import { createLogTail, type LogTail } from '../../../store/raft/tail.ts'
import {
  type Entry,
  logIndex,
  type MemberId,
  memberId,
  type Snapshot,
  term,
} from '../../../store/raft/types.ts'
import { describeMessage, describeReady, describeStatus } from '../../sim/describe.ts'

interface Node {
  raft: Raft
  tail: LogTail
  state: InitialState
  snapshot: Snapshot | undefined
}

interface Cluster {
  /** Runs one line; answers what happened, unless it starts with `quietly`. Throws on a command that it does not know. */
  run(line: string): readonly string[]
}

export function createCluster(): Cluster {
  const nodes = new Map<MemberId, Node>()
  const cut = new Set<MemberId>()
  const queue: Message[] = []
  let out: string[] = []

  function nodeOf(text: string | undefined): Node {
    const node = nodes.get(memberId(Number(text)))
    if (node === undefined) throw new Error(`no member ${text}`)
    return node
  }

  function add(id: MemberId, voters: readonly MemberId[]): void {
    const configuration = voters.includes(id) ? configurationOf(voters) : emptyConfiguration
    const zero = logIndex(0)
    const state = {
      hardState: { term: term(0), vote: undefined, commit: zero },
      applied: zero,
      configuration,
    }
    start(id, state, [], { index: zero, term: term(0) }, undefined)
  }

  function start(
    id: MemberId,
    state: InitialState,
    entries: readonly Entry[],
    before: { index: InitialState['applied']; term: Entry['term'] },
    snapshot: Snapshot | undefined,
  ): void {
    const tail = createLogTail({ initial: state, before, entries, snapshot: () => nodes.get(id)?.snapshot })
    const raft = createRaft({ id, storage: tail, electionTicks: 10, heartbeatTicks: 1, random: () => 0 })
    nodes.set(id, { raft, tail, state, snapshot })
  }

  /** Does what the core asks for, at once. */
  function drive(id: MemberId, node: Node): void {
    for (let ready = node.raft.ready(); ready !== undefined; ready = node.raft.ready()) {
      out.push(...describeReady(ready).map((line) => `${id} ${line}`))
      queue.push(...ready.messages)
      store(node, ready)
      node.raft.advance()
      queue.push(...ready.messagesAfterPersist)
    }
  }

  function store(node: Node, { snapshot, entries, hardState, committed }: Ready): void {
    if (snapshot !== undefined) {
      node.tail.reset(snapshot)
      node.snapshot = snapshot
      node.state = { ...node.state, applied: snapshot.index, configuration: snapshot.configuration }
    }
    node.tail.append(entries)
    if (hardState !== undefined) node.state = { ...node.state, hardState }
    for (const entry of committed) {
      const configuration =
        entry.type === 'configuration'
          ? decodeConfiguration(entry.data).configuration
          : node.state.configuration
      node.state = { ...node.state, applied: entry.index, configuration }
    }
  }

  function deliver(): void {
    for (const [id, node] of nodes) drive(id, node)
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      if (cut.has(message.from) || cut.has(message.to)) {
        out.push(`lost ${describeMessage(message)}`)
        continue
      }
      const node = nodeOf(String(message.to))
      node.raft.step(message)
      drive(message.to, node)
    }
  }

  function compact(node: Node): void {
    const { applied, configuration } = node.state
    const appliedTerm = node.tail.term(applied)
    if (appliedTerm === undefined) throw new Error(`nothing applied at ${applied}`)
    node.snapshot = { index: applied, term: appliedTerm, configuration }
    node.tail.compact(applied)
  }

  function restart(id: MemberId, { tail, state, snapshot }: Node): void {
    const first = tail.firstIndex()
    const before = logIndex(first - 1)
    const beforeTerm = tail.term(before)
    if (beforeTerm === undefined) throw new Error(`no term at ${before}`)
    const entries =
      first > tail.lastIndex() ? [] : tail.entries(first, logIndex(tail.lastIndex() + 1), Infinity)
    start(id, state, entries, { index: before, term: beforeTerm }, snapshot)
  }

  const answered = (result: { readonly ok: boolean; readonly failure?: object }) => {
    if (!result.ok) out.push(`refused ${JSON.stringify(result.failure)}`)
  }

  const commands: Readonly<Record<string, (words: readonly string[]) => void>> = {
    members(words) {
      const voters = words.filter((word) => !word.endsWith('?')).map((word) => memberId(Number(word)))
      for (const word of words) add(memberId(Number(word.replace('?', ''))), voters)
    },
    campaign: ([id]) => nodeOf(id).raft.campaign(),
    tick([id, count]) {
      for (let i = 0; i < Number(count); i++) {
        nodeOf(id).raft.tick()
        deliver()
      }
    },
    propose: ([id, ...texts]) =>
      answered(nodeOf(id).raft.propose(texts.map((text) => new TextEncoder().encode(text)))),
    read: ([id, context]) => answered(nodeOf(id).raft.readIndex(context ?? '')),
    transfer: ([id, to]) => answered(nodeOf(id).raft.transferLeadership(memberId(Number(to)))),
    membership([id, ...words]) {
      const changes = words.map((word): MembershipChange => {
        const [type, of] = word.split(':')
        if (type !== 'addLearner' && type !== 'promote' && type !== 'remove')
          throw new Error(`no change ${type}`)
        return { type, id: memberId(Number(of)) }
      })
      answered(nodeOf(id).raft.proposeMembership({ changes, context: '' }))
    },
    compact: ([id]) => compact(nodeOf(id)),
    restart: ([id]) => restart(memberId(Number(id)), nodeOf(id)),
    cut(words) {
      for (const word of words) cut.add(memberId(Number(word)))
    },
    heal: () => cut.clear(),
    deliver,
    settle() {
      deliver()
      out = []
    },
    status(words) {
      const shown = words.length > 0 ? words.map(nodeOf) : [...nodes.values()]
      for (const { raft } of shown) out.push(describeStatus(raft.status()))
    },
  }

  return {
    run(line) {
      const words = line.trim().split(/\s+/)
      const quiet = words[0] === 'quietly'
      const [name, ...rest] = quiet ? words.slice(1) : words
      const command = commands[name ?? '']
      if (command === undefined) throw new Error(`no command ${name}`)
      out = []
      command(rest)
      return quiet ? [] : out
    },
  }
}

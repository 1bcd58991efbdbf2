/** One stable line for each kind of thing of the Raft core, for transcripts and failing tests. */
import { decodeConfiguration, isJoint } from '../../store/raft/configuration.ts'
import type { Message } from '../../store/raft/message.ts'
import type { Ready } from '../../store/raft/ready.ts'
import type { PeerStatus, RaftStatus } from '../../store/raft/status.ts'
import type { Configuration, Entry, HardState, Snapshot } from '../../store/raft/types.ts'

/** `voters 1,2,3 outgoing 1,2 learners 4`, empty parts left out. */
export function describeConfiguration(configuration: Configuration): string {
  const { voters, votersOutgoing, learners } = configuration
  const outgoing = isJoint(configuration) ? ` outgoing ${votersOutgoing.join(',')}` : ''
  return `voters ${voters.join(',')}${outgoing}${learners.length > 0 ? ` learners ${learners.join(',')}` : ''}`
}

/** `5@2 "text"`: index, term and what it holds; long data is cut. */
function describeEntry({ index, term, type, data }: Entry): string {
  const place = `${index}@${term}`
  switch (type) {
    case 'empty':
      return `${place} empty`
    case 'command':
      return `${place} ${describeData(data)}`
    case 'configuration':
      return `${place} ${describeConfiguration(decodeConfiguration(data).configuration)}`
  }
}

function describeData(data: Uint8Array): string {
  const text = new TextDecoder().decode(data.subarray(0, 24))
  return data.byteLength > 24 ? `${JSON.stringify(text)}… ${data.byteLength} bytes` : JSON.stringify(text)
}

function describeEntries(entries: readonly Entry[]): string {
  return `[${entries.map(describeEntry).join(', ')}]`
}

function describeHardState({ term, vote, commit }: HardState): string {
  return `term ${term} vote ${vote ?? '-'} commit ${commit}`
}

function describeSnapshot({ index, term, configuration }: Snapshot): string {
  return `${index}@${term} ${describeConfiguration(configuration)}`
}

/** `1→2 append term 3 …` */
export function describeMessage(message: Message): string {
  const head = `${message.from}→${message.to} ${message.type} term ${message.term}`
  const body = describeBody(message)
  return body === '' ? head : `${head} ${body}`
}

function describeBody(message: Message): string {
  switch (message.type) {
    case 'preVote':
      return `last ${message.lastIndex}@${message.lastTerm}`
    case 'vote':
      return `last ${message.lastIndex}@${message.lastTerm}${message.force ? ' force' : ''}`
    case 'preVoteAnswer':
    case 'voteAnswer':
      return message.granted ? 'granted' : 'refused'
    case 'append':
      return `after ${message.prevIndex}@${message.prevTerm} commit ${message.commit} ${describeEntries(message.entries)}`
    case 'appendAnswer':
      return message.refused === undefined
        ? `accepted ${message.index}`
        : `refused ${message.index} hint ${message.refused.index}@${message.refused.term}`
    case 'heartbeat':
      return `commit ${message.commit} round ${message.round}`
    case 'heartbeatAnswer':
      return `round ${message.round}`
    case 'snapshot':
      return describeSnapshot(message.snapshot)
    case 'timeoutNow':
      return ''
    case 'readIndex':
      return message.context
    case 'readIndexAnswer':
      return `${message.context} ${message.index === undefined ? 'refused' : `index ${message.index}`}`
  }
}

/** What a batch asks for, a line each, in the order of the driver's work. */
export function describeReady(ready: Ready): readonly string[] {
  const { snapshot, entries, hardState, committed } = ready
  return [
    ...ready.messages.map((m) => `send ${describeMessage(m)}`),
    ...(snapshot === undefined ? [] : [`install ${describeSnapshot(snapshot)}`]),
    ...(entries.length === 0 ? [] : [`persist ${describeEntries(entries)}`]),
    ...(hardState === undefined
      ? []
      : [`persist ${describeHardState(hardState)}${ready.mustSync ? '' : ' unsynced'}`]),
    ...ready.messagesAfterPersist.map((m) => `then send ${describeMessage(m)}`),
    ...(committed.length === 0 ? [] : [`apply ${describeEntries(committed)}`]),
    ...ready.readStates.map(({ context, index }) => `read ${context} at ${index}`),
    ...ready.readsLost.map((context) => `read ${context} lost`),
  ]
}

/** `2: follower of 1 term 3 log 1..7 committed 6 voters 1,2,3` */
export function describeStatus(status: RaftStatus): string {
  const { id, role, leader, term, firstIndex, lastIndex, committed, configuration, peers } = status
  const of = role === 'follower' ? ` of ${leader ?? 'nobody'}` : ''
  const kind = status.learner ? 'learner' : role
  const log = `log ${firstIndex}..${lastIndex} committed ${committed}`
  const line = `${id}: ${kind}${of} term ${term} ${log} ${describeConfiguration(configuration)}`
  return [line, ...peers.map((peer) => `  ${describePeer(peer)}`)].join('\n')
}

function describePeer({ id, state, match, next, inflightCount, recentlyActive }: PeerStatus): string {
  return `${id} ${state} match ${match} next ${next} inflight ${inflightCount}${recentlyActive ? '' : ' inactive'}`
}

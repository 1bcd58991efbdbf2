import t from 'tap'
import { WireReader, WireWriter } from '../../../store/link/wire.ts'
import { readMessage, writeMessage } from '../../../store/peers/message-codec.ts'
import { configurationOf } from '../../../store/raft/configuration.ts'
import type { Message } from '../../../store/raft/message.ts'
import { logIndex, memberId, term } from '../../../store/raft/types.ts'

const envelope = { from: memberId(2), to: memberId(3), term: term(7) }
const snapshot = {
  index: logIndex(2 ** 40),
  term: term(6),
  configuration: {
    ...configurationOf([memberId(1), memberId(2)], [memberId(9)]),
    votersOutgoing: [memberId(4)],
  },
}

/** One of each kind, with its corners. */
const messages: readonly Message[] = [
  { ...envelope, type: 'preVote', lastIndex: logIndex(5), lastTerm: term(3) },
  { ...envelope, type: 'preVoteAnswer', granted: true },
  { ...envelope, type: 'vote', lastIndex: logIndex(0), lastTerm: term(0), force: true },
  { ...envelope, type: 'vote', lastIndex: logIndex(5), lastTerm: term(3), force: false },
  { ...envelope, type: 'voteAnswer', granted: false },
  {
    ...envelope,
    type: 'append',
    prevIndex: logIndex(0),
    prevTerm: term(0),
    commit: logIndex(0),
    entries: [],
  },
  {
    ...envelope,
    type: 'append',
    prevIndex: logIndex(10),
    prevTerm: term(3),
    commit: logIndex(9),
    entries: [
      { index: logIndex(11), term: term(3), type: 'command', data: Buffer.from('data') },
      { index: logIndex(12), term: term(7), type: 'empty', data: Buffer.alloc(0) },
      { index: logIndex(13), term: term(7), type: 'configuration', data: Buffer.alloc(70_000, 1) },
    ],
  },
  { ...envelope, type: 'appendAnswer', index: logIndex(4), refused: undefined },
  { ...envelope, type: 'appendAnswer', index: logIndex(4), refused: { index: logIndex(0), term: term(0) } },
  { ...envelope, type: 'heartbeat', commit: logIndex(4), round: 12 },
  { ...envelope, type: 'heartbeatAnswer', round: 12 },
  { ...envelope, type: 'snapshot', snapshot },
  { ...envelope, type: 'timeoutNow' },
  { ...envelope, type: 'readIndex', context: 'boot.1' },
  { ...envelope, type: 'readIndexAnswer', context: 'boot.1', index: logIndex(0) },
  { ...envelope, type: 'readIndexAnswer', context: 'boot.1', index: undefined },
]

function encode(message: Message): Buffer {
  const writer = new WireWriter(64)
  writeMessage(writer, 8, message)
  return writer.finish()
}

t.test('every message comes back as it was', (t) => {
  for (const message of messages) t.same(decodeMessage(encode(message)), message, message.type)
  t.end()
})

t.test('a message cut short is none', (t) => {
  for (const message of messages) {
    const bytes = encode(message)
    for (let length = 0; length < Math.min(bytes.length, 60); length++) {
      t.equal(decodeMessage(bytes.subarray(0, length)), undefined)
    }
  }
  t.end()
})

/** A message that stands alone; undefined = none, or damaged. */
function decodeMessage(bytes: Buffer): Message | undefined {
  const reader = new WireReader(bytes)
  if (reader.field() === 0) return undefined
  const message = readMessage(reader.message())
  return reader.broken ? undefined : message
}

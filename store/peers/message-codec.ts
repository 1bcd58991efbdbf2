/**
 * Raft messages as protobuf:
 *
 *     message Message { type = 1; from = 2; to = 3; term = 4; a = 5; b = 6; c = 7; flag = 8; repeated Entry entries = 9;
 *                       text = 10 }
 *     message Entry   { term = 1; type = 2; data = 3 }       index: that of the message's `prevIndex`, and on
 *
 * What a, b, c, flag and text mean stands with each type below. Zero and absent are the same.
 */
import type { WireReader, WireWriter } from '../link/wire.ts'
import { decodeConfiguration, encodeConfiguration } from '../raft/configuration.ts'
import type { Message } from '../raft/message.ts'
import { type Entry, logIndex, memberId, shifted, term } from '../raft/types.ts'

const types = [
  'preVote',
  'preVoteAnswer',
  'vote',
  'voteAnswer',
  'append',
  'appendAnswer',
  'heartbeat',
  'heartbeatAnswer',
  'snapshot',
  'timeoutNow',
  'readIndex',
  'readIndexAnswer',
] as const satisfies readonly Message['type'][]
const entryTypes = ['command', 'empty', 'configuration'] as const satisfies readonly Entry['type'][]

/** Writes one Raft message as the message in `field`. */
export function writeMessage(writer: WireWriter, field: number, message: Message): void {
  const start = writer.begin(field)
  writer.uint(1, types.indexOf(message.type) + 1)
  writer.uint(2, message.from)
  writer.uint(3, message.to)
  writer.uint(4, message.term)
  writeBody(writer, message)
  writer.end(start)
}

function writeNumbers(writer: WireWriter, a: number, b = 0, c = 0): void {
  writer.uint(5, a)
  writer.uint(6, b)
  writer.uint(7, c)
}

function writeBody(writer: WireWriter, message: Message): void {
  switch (message.type) {
    case 'preVote':
      writeNumbers(writer, message.lastIndex, message.lastTerm)
      return
    case 'vote':
      writeNumbers(writer, message.lastIndex, message.lastTerm)
      writer.uint(8, message.force ? 1 : 0)
      return
    case 'preVoteAnswer':
    case 'voteAnswer':
      writer.uint(8, message.granted ? 1 : 0)
      return
    case 'append':
      writeNumbers(writer, message.prevIndex, message.prevTerm, message.commit)
      for (const entry of message.entries) {
        const start = writer.begin(9)
        writer.uint(1, entry.term)
        writer.uint(2, entryTypes.indexOf(entry.type))
        if (entry.data.byteLength > 0) writer.bytes(3, entry.data)
        writer.end(start)
      }
      return
    case 'appendAnswer':
      writeNumbers(writer, message.index, message.refused?.index, message.refused?.term)
      writer.uint(8, message.refused === undefined ? 0 : 1)
      return
    case 'heartbeat':
      writeNumbers(writer, message.commit, message.round)
      return
    case 'heartbeatAnswer':
      writeNumbers(writer, message.round)
      return
    case 'snapshot': {
      const { index, term, configuration } = message.snapshot
      writeNumbers(writer, index, term)
      writer.bytes(10, encodeConfiguration({ configuration, context: '' }))
      return
    }
    case 'timeoutNow':
      return
    case 'readIndex':
      writer.text(10, message.context)
      return
    case 'readIndexAnswer':
      writer.text(10, message.context)
      writer.uint(8, message.index === undefined ? 0 : 1)
      writer.uint(5, message.index ?? 0)
  }
}

const nothing = Buffer.alloc(0)

/** Breaks the reader (and answers undefined) on what is no message. Entry data are slices of the frame. */
export function readMessage(reader: WireReader): Message | undefined {
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  let text: Buffer = nothing
  const entries: Omit<Entry, 'index'>[] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field <= 8) numbers[field] = reader.uint()
    else if (field === 9) entries.push(readEntry(reader.message()))
    else if (field === 10) text = reader.bytes()
    else reader.skip()
  }
  const [, type = 0, from = 0, to = 0, inTerm = 0, a = 0, b = 0, c = 0, flag = 0] = numbers
  const name = types[type - 1]
  if (name === undefined || from === 0 || to === 0) {
    reader.fail()
    return undefined
  }
  const envelope = { from: memberId(from), to: memberId(to), term: term(inTerm) }
  switch (name) {
    case 'preVote':
      return { ...envelope, type: name, lastIndex: logIndex(a), lastTerm: term(b) }
    case 'vote':
      return { ...envelope, type: name, lastIndex: logIndex(a), lastTerm: term(b), force: flag === 1 }
    case 'preVoteAnswer':
    case 'voteAnswer':
      return { ...envelope, type: name, granted: flag === 1 }
    case 'append': {
      const prevIndex = logIndex(a)
      const placed = entries.map((entry, i): Entry => ({ ...entry, index: shifted(prevIndex, i + 1) }))
      return { ...envelope, type: name, prevIndex, prevTerm: term(b), commit: logIndex(c), entries: placed }
    }
    case 'appendAnswer': {
      const refused = flag === 1 ? { index: logIndex(b), term: term(c) } : undefined
      return { ...envelope, type: name, index: logIndex(a), refused }
    }
    case 'heartbeat':
      return { ...envelope, type: name, commit: logIndex(a), round: b }
    case 'heartbeatAnswer':
      return { ...envelope, type: name, round: a }
    case 'snapshot': {
      const { configuration } = decodeConfiguration(text)
      return { ...envelope, type: name, snapshot: { index: logIndex(a), term: term(b), configuration } }
    }
    case 'timeoutNow':
      return { ...envelope, type: name }
    case 'readIndex':
      return { ...envelope, type: name, context: text.toString() }
    case 'readIndexAnswer': {
      const index = flag === 1 ? logIndex(a) : undefined
      return { ...envelope, type: name, context: text.toString(), index }
    }
  }
}

function readEntry(reader: WireReader): Omit<Entry, 'index'> {
  let inTerm = 0
  let type = 0
  let data: Buffer = nothing
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) inTerm = reader.uint()
    else if (field === 2) type = reader.uint()
    else if (field === 3) data = reader.bytes()
    else reader.skip()
  }
  const name = entryTypes[type]
  if (name === undefined) reader.fail()
  return { term: term(inTerm), type: name ?? 'empty', data }
}

/** The log over its storage: what is unstable while a batch is being written, and where two logs may meet. */
import t from 'tap'
import { configurationOf } from '../../../store/raft/configuration.ts'
import { createRaftLog } from '../../../store/raft/log.ts'
import { createLogTail } from '../../../store/raft/tail.ts'
import { type Entry, logIndex, memberId, term } from '../../../store/raft/types.ts'

const at = logIndex

function entry(index: number, inTerm: number, bytes = 0): Entry {
  return { index: at(index), term: term(inTerm), type: 'command', data: new Uint8Array(bytes) }
}

/** A log whose entries 1, 2, … have these terms, all durable. */
function logOf(terms: readonly number[]) {
  const configuration = configurationOf([memberId(1)])
  const tail = createLogTail({
    initial: { hardState: { term: term(9), vote: undefined, commit: at(0) }, applied: at(0), configuration },
    before: { index: at(0), term: term(0) },
    entries: terms.map((inTerm, i) => entry(i + 1, inTerm)),
    snapshot: () => undefined,
  })
  return { tail, log: createRaftLog(tail, at(0), at(0)) }
}

t.test('a conflict hint skips every entry above the term that was asked about', (t) => {
  //                index    1  2  3  4  5  6
  const { log } = logOf([1, 1, 2, 2, 5, 5])
  const table: readonly [index: number, term: number, hint: number, hintTerm: number][] = [
    [6, 5, 6, 5],
    [6, 4, 4, 2],
    [9, 4, 4, 2],
    [4, 1, 2, 1],
    [3, 0, 0, 0],
  ]
  for (const [index, inTerm, hint, hintTerm] of table) {
    t.same(log.conflictHint(at(index), term(inTerm)), { index: hint, term: hintTerm }, `${index}@${inTerm}`)
  }
  t.end()
})

t.test('entries replaced while their batch is being written are written again', (t) => {
  const { log, tail } = logOf([1, 1])
  log.truncateAndAppend([entry(3, 1), entry(4, 1)])
  const first = log.take()
  t.same(
    first.entries.map(({ index }) => index),
    [3, 4],
  )
  log.truncateAndAppend([entry(4, 2)])
  tail.append(first.entries)
  log.persisted(first)
  t.equal(log.stableIndex(), 2, 'the batch is not what the log is now')
  t.equal(log.term(at(4)), 2)
  const second = log.take()
  t.same(
    second.entries.map(({ index, term }) => `${index}@${term}`),
    ['4@2'],
  )
  tail.append(second.entries)
  log.persisted(second)
  t.same([log.stableIndex(), tail.term(at(3)), tail.term(at(4))], [4, 1, 2])
  t.end()
})

t.test('a page of entries ends within the bytes, but is never empty', (t) => {
  const { log } = logOf([1])
  log.truncateAndAppend([entry(2, 1, 100), entry(3, 1, 100), entry(4, 1, 100)])
  const count = (from: number, bytes: number) => log.entries(at(from), bytes)?.length
  t.same([count(2, 1), count(2, 250), count(2, 10_000), count(1, 150), count(5, 10)], [1, 2, 3, 2, 0])
  t.end()
})

t.test('a committed entry is never replaced', (t) => {
  const { log } = logOf([1, 1, 1])
  log.commitTo(at(2))
  t.throws(() => log.truncateAndAppend([entry(2, 3)]), /replacing committed entry 2/)
  t.throws(() => log.commitTo(at(9)), /beyond the log's end/)
  t.doesNotThrow(() => log.truncateAndAppend([entry(3, 3)]))
  t.end()
})

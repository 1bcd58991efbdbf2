import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Database, openDatabase, type Write } from '../../../store/disk/database.ts'
import { emptyLog, Log, readLog } from '../../../store/log/log.ts'
import { type Entry, type HardState, logIndex, memberId, term } from '../../../store/raft/types.ts'
import { temporaryFolder } from '../support.ts'

async function open(t: Test): Promise<Database> {
  const database = await openDatabase(join(temporaryFolder(t), 'log'))
  t.teardown(() => database.close())
  return database
}

function entries(...texts: readonly string[]): Entry[] {
  return texts.map((text) => {
    const [, index = '', inTerm = '', data = ''] = /^(\d+)@(\d+)=(.*)$/.exec(text) ?? []
    return {
      index: logIndex(Number(index)),
      term: term(Number(inTerm)),
      type: 'command',
      data: Buffer.from(data),
    }
  })
}

function hardState(inTerm: number, vote: number | undefined, commit: number): HardState {
  return {
    term: term(inTerm),
    vote: vote === undefined ? undefined : memberId(vote),
    commit: logIndex(commit),
  }
}

/** What the database holds: `2: 3@1=c 4@2=d` for the entries after 2, or what is wrong. */
async function stored(database: Database): Promise<string> {
  const log = await readLog(database)
  if (!log.ok) return `${log.failure.where}: ${log.failure.message}`
  const { head, entries } = log.value
  const shown = entries.map(({ index, term, data }) => `${index}@${term}=${Buffer.from(data)}`)
  return [`${head.before.index}:`, ...shown].join(' ')
}

t.test('entries, their conflicts and their end', async (t) => {
  const database = await open(t)
  const log = new Log(emptyLog, [])
  const write = (writes: Write[]): Promise<void> => database.write(writes, { sync: true })
  t.equal(await stored(database), '0:')
  await write(log.append(entries('1@1=a', '2@1=b', '3@1=c', '4@1=d'), hardState(1, 7, 2)))
  t.equal(await stored(database), '0: 1@1=a 2@1=b 3@1=c 4@1=d')
  await write(log.append(entries('3@2=C'), hardState(2, undefined, 2)))
  t.equal(await stored(database), '0: 1@1=a 2@1=b 3@2=C', 'a conflicting suffix is gone')
  t.same(
    [log.firstIndex, log.lastIndex, log.term(2), log.term(3), log.term(4), log.term(0)],
    [1, 3, 1, 2, undefined, 0],
  )
  await write(log.truncate(2, { keptEntriesMax: 0, keptBytesMax: 0 }))
  t.equal(await stored(database), '2: 3@2=C', 'only what was applied goes')
  t.same([log.firstIndex, log.lastIndex, log.term(2), log.term(1)], [3, 3, 1, undefined])
  await write(log.append([], hardState(3, 9, 3)))
  const again = await readLog(database)
  if (!again.ok) throw new Error(again.failure.message)
  const reopened = new Log(again.value.head, again.value.entries)
  t.same(reopened.hardState, hardState(3, 9, 3))
  t.same([reopened.firstIndex, reopened.lastIndex], [3, 3])
  t.throws(() => reopened.append(entries('5@3=e'), hardState(3, 9, 3)), /no gap/)
})

t.test('truncation keeps what the bounds allow', async (t) => {
  for (const [keptEntriesMax, keptBytesMax, first] of [
    [10, 100, 1],
    [3, 100, 4],
    [10, 4, 5],
    [0, 0, 6],
  ] as const) {
    const log = new Log(emptyLog, [])
    log.append(entries('1@1=aa', '2@1=bb', '3@1=cc', '4@1=dd', '5@1=ee', '6@1=ff'), hardState(1, 1, 6))
    log.truncate(5, { keptEntriesMax, keptBytesMax })
    t.equal(log.firstIndex, first)
  }
})

t.test('damage is named', async (t) => {
  const database = await open(t)
  const log = new Log(emptyLog, [])
  const writes = log.append(entries('1@1=a', '2@1=b', '3@1=c'), hardState(1, 1, 3))
  await database.write(writes, { sync: true })
  const [first, second, third, head] = writes
  if (first === undefined || second === undefined || third?.type !== 'put' || head?.type !== 'put') {
    throw new Error('three entries and the head')
  }
  const attempt = async (damage: Write): Promise<string> => {
    await database.write([damage], { sync: false })
    const found = await stored(database)
    await database.write(writes, { sync: false })
    return found
  }
  const flipped = (write: Write & { type: 'put' }, at: number): Write => {
    const value = Buffer.from(write.value)
    value.writeUInt8(value.readUInt8(at) ^ 1, at)
    return { ...write, value }
  }
  t.match(await attempt({ type: 'del', key: second.key }), /^log entry 2: missing/)
  t.match(await attempt({ type: 'del', key: third.key }), /^log entry 3: missing/)
  t.match(await attempt({ type: 'del', key: head.key }), /^log entry 1: missing or out of place/)
  t.equal(await attempt(flipped(third, 9)), 'log entry 3: checksum does not match')
  t.equal(await attempt({ ...third, key: second.key }), 'log entry 2: checksum does not match')
  t.equal(await attempt(flipped(head, 3)), 'log head: checksum does not match')
  t.equal(await stored(database), '0: 1@1=a 2@1=b 3@1=c')
})

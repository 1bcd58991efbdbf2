/** Three members: the loss of members, those that lag, and one that differs. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { key, revision } from '../../../store/contract.ts'
import { openDatabase } from '../../../store/disk/database.ts'
import { Digest } from '../../../store/mvcc/digest.ts'
import { decodeMeta, encodeMeta, metaKey } from '../../../store/mvcc/meta.ts'
import { contentBytes, encodeRecordKey, recordCrc, writeContent } from '../../../store/mvcc/record.ts'
import { eventually } from '../../support/eventually.ts'
import { startGroup } from '../group.ts'
import { commit, everything, ManualClock, put, RecordedWatch, show } from '../support.ts'

const names = ['a', 'b', 'c']

t.test('what one member answers, all know at once by a read index', async (t) => {
  const group = await startGroup(t, { names })
  await group.leader()
  for (let i = 1; i <= 30; i++) {
    const writer = group.member(names[i % 3] ?? '').store
    const reader = group.member(names[(i + 1) % 3] ?? '').store
    const written = await commit(writer, put('k', `${i}`))
    const index = await reader.readIndex()
    if (!index.ok) throw new Error(JSON.stringify(index.failure))
    t.ok(index.value >= written, `read index ${index.value} after write ${written}`)
    t.equal(await show(reader), `k@${written}=${i}`)
  }
})

t.test('members that start together have a leader long before an election timeout', async (t) => {
  // Whoever waits for a timeout waits for 6 to 12 s.
  const timing = { tickMs: 10, electionTicks: 600, heartbeatTicks: 2 }
  const group = await startGroup(t, { names, replication: { timing } })
  const startedMs = performance.now()
  t.equal(await group.leader(), 'a', 'the first of them')
  t.ok(performance.now() - startedMs < 5000, 'at once')
  await group.stop('a')
})

t.test('writes and watches go on when the leader goes, and when it comes back', async (t) => {
  const group = await startGroup(t, { names })
  const leader = await group.leader()
  const follower = await group.follower()
  const { store } = group.member(follower)
  const watch = new RecordedWatch(store, 1)
  for (let i = 0; i < 10; i++) await commit(store, put(`k${i}`, 'before'))
  await group.stop(leader)
  for (let i = 0; i < 10; i++) await commit(store, put(`k${i}`, 'after'))
  await watch.reached(20)
  t.same(
    watch.batches.flatMap(({ events }) => events.map(({ revision }) => revision)),
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  const back = await group.start(leader)
  await group.settled(follower)
  t.equal(await show(back.store), await show(store))
})

t.test(
  'without a majority nothing is acknowledged, and the fate of what was under way is not known',
  async (t) => {
    const group = await startGroup(t, {
      names,
      replication: { timing: { tickMs: 20, electionTicks: 12, heartbeatTicks: 2, waitMaxMs: 700 } },
    })
    const leader = await group.leader()
    const { store } = group.member(leader)
    await commit(store, put('a', '1'))
    for (const name of names) if (name !== leader) await group.stop(name)
    const lost = await store.commit({ guards: [], ops: [put('a', '2')] })
    t.match(lost, { ok: false, failure: { code: /Unknown|Unavailable/ } })
    await eventually('the leader to step down', async () => (await group.status(leader)).role !== 'leader')
    t.match(await store.commit({ guards: [], ops: [put('a', '3')] }), {
      failure: { code: 'Unavailable', message: /no leader/ },
    })
    t.match(await store.readIndex(), { failure: { code: 'Unavailable' } })
    t.match(await show(store), 'a@1=1', 'what is applied can be read')
  },
)

t.test('a member that lags is caught up by a snapshot, its watch without a gap', async (t) => {
  const group = await startGroup(t, { names, member: { log: { keptEntriesMax: 4, keptBytesMax: 1e6 } } })
  const leader = await group.leader()
  const laggard = names.find((name) => name !== leader) ?? ''
  const { store } = group.member(leader)
  await commit(store, put('a', '0'))
  await group.settled(leader)
  await group.stop(laggard)
  for (let i = 1; i <= 40; i++) await commit(store, put(`k${i % 5}`, `${i}`.padEnd(2000, '.')))
  const member = await group.start(laggard)
  const watch = new RecordedWatch(member.store, 2)
  await watch.reached(41)
  t.same(
    watch.batches.flatMap(({ events }) => events.map(({ revision }) => revision)),
    Array.from({ length: 40 }, (_, i) => i + 2),
  )
  await group.settled(leader)
  t.equal(await show(member.store), await show(store))
  t.equal(await show(member.store, 20), await show(store, 20), 'history too')
  await group.stop(laggard)
  const again = await group.start(laggard)
  await commit(again.store, put('z', ''))
  await group.settled(laggard)
  t.equal(await show(again.store), await show(store), 'after a restart on the installed state')
})

t.test('what a snapshot no longer holds ends a watch as Compacted', async (t) => {
  const group = await startGroup(t, { names, member: { log: { keptEntriesMax: 4, keptBytesMax: 1e6 } } })
  const leader = await group.leader()
  const laggard = names.find((name) => name !== leader) ?? ''
  const { store } = group.member(leader)
  await commit(store, put('a', '0'))
  await group.settled(leader)
  await group.stop(laggard)
  for (let i = 1; i <= 40; i++) await commit(store, put('k', `${i}`))
  await store.compact(revision(30))
  // More than the log keeps: the snapshot is of a state after the compaction.
  for (let i = 1; i <= 10; i++) await commit(store, put('k', `${i}`))
  const member = await group.start(laggard)
  const end = await new RecordedWatch(member.store, 2).end()
  t.match(end, { code: 'Compacted', oldest: 30 })
})

t.test('a member whose state differs says so and stops, the others go on', async (t) => {
  const clock = new ManualClock()
  const group = await startGroup(t, { names, clock })
  const leader = await group.leader()
  const { store } = group.member(leader)
  for (let i = 0; i < 10; i++) await commit(store, put(`k${i}`, 'x'))
  await group.settled(leader)
  const odd = names.find((name) => name !== leader) ?? ''
  await group.stop(odd)
  await forgeRecord(group.dataDir(odd))
  const forged = await group.start(odd)
  const fatal = new Promise<string>((resolve) =>
    forged.onFatal((failure) => resolve(`${failure.code}: ${failure.message}`)),
  )
  await commit(store, put('k0', 'y'))
  await eventually('it to be found out', async () => {
    clock.advance(10_000)
    return !(await forged.store.status()).ok
  })
  t.match(
    await fatal,
    /^Corrupt: differs from the other members': after log entry \d+ the state has hash .* on member \d and \d/,
  )
  t.match(await forged.store.range(everything), { failure: { code: 'Corrupt' } })
  await commit(store, put('k1', 'y'))
})

/** Adds a record, and makes the sums of the database agree to it: only the other members can tell that it is wrong. */
async function forgeRecord(dataDir: string): Promise<void> {
  rmSync(join(dataDir, 'clean'))
  const database = await openDatabase(join(dataDir, 'store'))
  const meta = decodeMeta(database.getInTurn(metaKey) ?? Buffer.alloc(0))
  if (meta === undefined) throw new Error('no meta record')
  const content = Buffer.alloc(contentBytes(2, 1, 0))
  writeContent(content, 0, key('zz'), Buffer.from('!'), 0)
  const record = { revision: meta.revision, op: 7, crc: recordCrc(meta.revision, 7, content) }
  const digest = new Digest(meta.digest)
  digest.add({ ...record, contentBytes: content.length })
  const writes = [
    { type: 'put', key: encodeRecordKey(record), value: content },
    { type: 'put', key: metaKey, value: encodeMeta({ ...meta, digest: digest.value() }) },
  ] as const
  await database.write(writes, { sync: true })
  await database.close()
}

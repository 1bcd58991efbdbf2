import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { type Revision, revision } from '../../../store/contract.ts'
import { type Database, openDatabase, type Write } from '../../../store/disk/database.ts'
import { nodeMachine } from '../../../store/member/machine.ts'
import { type MemberOptions, openMember } from '../../../store/member/open.ts'
import { defaultQueueBounds } from '../../../store/member/proposal-queue.ts'
import { eventually } from '../../support/eventually.ts'
import {
  commit,
  del,
  everything,
  ManualClock,
  put,
  RecordedWatch,
  show,
  temporaryFolder,
} from '../support.ts'

async function open(t: Test, options: Partial<MemberOptions> = {}) {
  const clock = new ManualClock()
  const dataDir = options.dataDir ?? temporaryFolder(t)
  const opened = await openMember({ dataDir, clock, ...options })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  t.teardown(() => opened.value.close())
  return { member: opened.value, store: opened.value.store, clock, dataDir }
}

async function failureOf(options: Partial<MemberOptions> & { dataDir: string }) {
  const opened = await openMember({ clock: new ManualClock(), ...options })
  if (opened.ok) await opened.value.close()
  return opened.ok ? undefined : opened.failure
}

/** A database whose writes can be made to wait or to fail. */
class Disk {
  error: Error | undefined
  /** While set, writes wait for it. */
  gate: Promise<void> | undefined
  readonly writes: { readonly puts: number; readonly sync: boolean }[] = []

  open = async (path: string): Promise<Database> => {
    const database = await openDatabase(path)
    return {
      ...database,
      write: async (writes: readonly Write[], options: { readonly sync: boolean }) => {
        await this.gate
        if (this.error !== undefined) throw this.error
        this.writes.push({ puts: writes.length, sync: options.sync })
        await database.write(writes, options)
      },
    }
  }

  /** Holds writes back until the returned function is called. */
  hold(): () => void {
    let release = (): void => {}
    this.gate = new Promise((resolve) => {
      release = resolve
    })
    return () => {
      this.gate = undefined
      release()
    }
  }
}

t.test('what was committed is there after a restart, history and all', async (t) => {
  const { store, dataDir } = await open(t)
  await commit(store, put('a', '1'), put('b', '1'))
  await commit(store, put('a', '2'))
  await commit(store, del('b'))
  await store.compact(revision(2))
  await store.close()
  const again = await open(t, { dataDir })
  t.equal(await show(again.store), 'a@2=2')
  t.equal(await show(again.store, 2), 'a@2=2 b@1=1')
  t.equal(await show(again.store, 1), 'Compacted')
  const watch = await new RecordedWatch(again.store, 3, { previous: true }).reached(3)
  t.same(watch.events(), ['delete b@3 (was b@1=1)'])
  t.equal(await commit(again.store, put('c', '1')), 4)
})

t.test('a time to live goes on after a restart', async (t) => {
  const { store, dataDir, clock } = await open(t)
  await commit(store, put('short', '1', 5000), put('long', '1', 500_000))
  await store.close()
  const again = await open(t, { dataDir, clock })
  clock.advance(6000)
  await new RecordedWatch(again.store, 2).reached(2)
  t.equal(await show(again.store), 'long@1=1')
})

t.test('many keys expire in bounded batches', async (t) => {
  const { store, clock } = await open(t)
  for (let i = 0; i < 1300; i += 100) {
    await commit(store, ...Array.from({ length: 100 }, (_, n) => put(`k${i + n}`, '', 2000)))
  }
  const before = (await store.readIndex()) as { value: Revision }
  const watch = new RecordedWatch(store, before.value + 1)
  clock.advance(3000)
  await watch.reached(before.value + 3)
  t.same(
    watch.batches.map(({ events }) => events.length),
    [512, 512, 276],
  )
  t.equal(await show(store), '')
})

t.test('history goes after its time', async (t) => {
  const { store, clock } = await open(t, { historyMs: 10_000 })
  const oldest = async (): Promise<number> => {
    const status = await store.status()
    return status.ok ? status.value.oldest : -1
  }
  await commit(store, put('a', '1'))
  await commit(store, put('a', '2'))
  clock.advance(1000)
  await commit(store, put('a', '3'))
  for (let second = 0; second < 9; second++) clock.advance(1000)
  t.equal(await oldest(), 0, 'after ten seconds nothing is older than ten')
  await eventually('the first revisions to go', async () => {
    clock.advance(100)
    await commit(store, put('b', ''))
    return (await oldest()) >= 2
  })
  t.equal(await show(store, 1), 'Compacted')
})

t.test('history is bounded in number, too', async (t) => {
  const { store, clock } = await open(t, { historyMs: 100_000, historyVersionsMax: 50 })
  for (let i = 1; i <= 200; i++) await commit(store, put('a', `${i}`))
  const crowded = await store.status()
  t.ok(crowded.ok && crowded.value.oldest >= 135, 'at most a quarter too long, without waiting for the timer')
  await eventually('compaction', async () => {
    clock.advance(10_000)
    const status = await store.status()
    return status.ok && status.value.oldest === 150
  })
  t.equal(await show(store, 150), 'a@150=150')
})

t.test('many commits share a durable batch, each durable batch is synced', async (t) => {
  const disk = new Disk()
  const { store } = await open(t, { machine: { ...nodeMachine, openDatabase: disk.open } })
  disk.writes.length = 0
  await Promise.all(Array.from({ length: 200 }, (_, i) => commit(store, put(`k${i}`, ''))))
  t.equal(disk.writes.length, 1)
  t.ok(disk.writes.every(({ sync }) => sync))
  const status = await store.status()
  t.match(status, { value: { revision: 200, commits: { batches: 1, transactions: 200 } } })
})

t.test('when the disk fails nothing is acknowledged and the member stops', async (t) => {
  const disk = new Disk()
  const { member, store, dataDir } = await open(t, { machine: { ...nodeMachine, openDatabase: disk.open } })
  const fatal: string[] = []
  member.onFatal((failure) => fatal.push(failure.message))
  await commit(store, put('a', '1'))
  const watch = new RecordedWatch(store, 2)
  const release = disk.hold()
  const underWay = store.commit({ guards: [], ops: [put('a', '2')] })
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  const waiting = store.commit({ guards: [], ops: [put('a', '3')] })
  disk.error = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  release()
  t.match(await underWay, { ok: false, failure: { code: 'Unknown', message: /ENOSPC/ } })
  t.match(await waiting, { ok: false, failure: { code: 'Unavailable', message: /ENOSPC/ } })
  t.match(await watch.end(), { code: 'Unavailable', message: /the disk failed/ })
  t.match(fatal, [/ENOSPC/])
  t.match(await store.range(everything), { failure: { code: 'Unavailable' } })
  t.match(await store.readIndex(), { failure: { code: 'Unavailable' } })
  await member.close()
  t.notOk(readdirSync(dataDir).includes('clean'), 'no clean stop')
  const again = await open(t, { dataDir })
  t.equal(await show(again.store), 'a@1=1')
})

t.test('too many proposals are refused', async (t) => {
  const disk = new Disk()
  const { store } = await open(t, {
    machine: { ...nodeMachine, openDatabase: disk.open },
    queue: { ...defaultQueueBounds, waitingMax: 3, waitingBytesMax: 3000, groupMax: 2 },
  })
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) => store.commit({ guards: [], ops: [put(`k${i}`, '')] })),
  )
  t.same(
    answers.map((answer) => (answer.ok ? 'ok' : answer.failure.code)),
    ['ok', 'ok', 'ok', 'Unavailable', 'Unavailable'],
  )
  const large = await Promise.all(
    Array.from({ length: 3 }, (_, i) =>
      store.commit({ guards: [], ops: [put(`k${i}`, Buffer.alloc(1400))] }),
    ),
  )
  t.match(large[2], { failure: { code: 'Unavailable', message: /2 proposals of 28\d\d bytes are waiting/ } })
})

t.test('a transaction that breaks the rules is a bug', async (t) => {
  const { store } = await open(t)
  await t.rejects(store.commit({ guards: [], ops: [put('a', '1'), del('a')] }), /two operations for one key/)
  await t.rejects(store.commit({ guards: [], ops: [put('a', '1', 10)] }), /time to live of 10 ms/)
})

t.test('one data directory, one member', async (t) => {
  const { store, dataDir } = await open(t)
  await commit(store, put('a', '1'))
  t.match(await failureOf({ dataDir }), { code: 'InUse', message: /is in use/ })
  t.equal(await commit(store, put('a', '2')), 2, 'the first one goes on')
})

t.test('a data directory remembers whose it is', async (t) => {
  const { member, dataDir } = await open(t, { identity: { dialect: 'kubernetes', clusterId: 'c1' } })
  await member.close()
  t.match(await failureOf({ dataDir, identity: { dialect: 'cluster' } }), {
    code: 'WrongIdentity',
    what: 'dialect',
    found: 'kubernetes',
    expected: 'cluster',
    message: /belongs to dialect "kubernetes", not "cluster"/,
  })
  t.match(await failureOf({ dataDir, identity: { dialect: 'kubernetes', clusterId: 'c2' } }), {
    code: 'WrongIdentity',
    what: 'clusterId',
  })
  const again = await open(t, { dataDir })
  t.same(again.member.identity, { dialect: 'kubernetes', clusterId: 'c1' })
})

t.test('a newer data format is refused', async (t) => {
  const { member, dataDir } = await open(t)
  await member.close()
  const json = JSON.stringify({ format: 2, dialect: 'cluster' })
  writeFileSync(join(dataDir, 'store.json'), `${json}\n${crc32(json).toString(16).padStart(8, '0')}\n`)
  t.match(await failureOf({ dataDir }), { code: 'UnsupportedFormat', found: 2, supported: 1 })
})

t.test('a directory that cannot be used', async (t) => {
  const dataDir = join(temporaryFolder(t), 'file')
  writeFileSync(dataDir, '')
  t.match(await failureOf({ dataDir }), { code: 'DiskFailed' })
})

t.test('an older copy of the database does not pass for what the last clean stop left', async (t) => {
  const { store, dataDir } = await open(t)
  await commit(store, put('a', '1'))
  await store.close()
  const second = await open(t, { dataDir })
  await commit(second.store, put('a', '2'))
  await second.store.close()
  const other = await open(t)
  await other.store.close()
  rmSync(join(dataDir, 'store'), { recursive: true })
  renameSync(join(other.dataDir, 'store'), join(dataDir, 'store'))
  t.match(await failureOf({ dataDir }), {
    code: 'Corrupt',
    where: join(dataDir, 'store'),
    message:
      /found revision 0.*but the last clean stop left revision 2.*restore it from a snapshot or backup/,
  })
})

t.test('a value damaged while the member runs is never served', async (t) => {
  const damaged: { on: boolean } = { on: false }
  const { member, store } = await open(t, {
    recentBytesMax: 0,
    machine: {
      ...nodeMachine,
      openDatabase: async (path) => {
        const database = await openDatabase(path)
        return {
          ...database,
          getInTurn: (key) => {
            const content = database.getInTurn(key)
            if (damaged.on) content?.writeUInt8(0x21, content.length - 1)
            return content
          },
        }
      },
    },
  })
  const fatal: string[] = []
  member.onFatal((failure) => fatal.push(failure.code))
  await commit(store, put('a', 'value'))
  await commit(store, put('b', 'value'))
  t.equal(await show(store, 1), 'a@1=value')
  damaged.on = true
  t.match(await store.range(everything), {
    failure: { code: 'Corrupt', where: 'record 1/0 of key "a"', message: 'checksum does not match' },
  })
  t.same(fatal, ['Corrupt'])
  t.match(await store.commit({ guards: [], ops: [put('a', '2')] }), { failure: { code: 'Corrupt' } })
})

t.test('the log stays bounded', async (t) => {
  const { store, dataDir } = await open(t, { log: { keptEntriesMax: 5, keptBytesMax: 1e6 } })
  for (let i = 0; i < 40; i++) await commit(store, put('a', `${i}`))
  await store.close()
  const database = await openDatabase(join(dataDir, 'store'))
  const view = database.view()
  let entries = 0
  for await (const chunk of view.scan(Buffer.from('l'), Buffer.from('m'))) entries += chunk.length
  await view.close()
  await database.close()
  t.ok(entries >= 5 && entries <= 7, `${entries} entries`)
})

t.test('files are for the owner only, and small when empty', async (t) => {
  const { member, dataDir } = await open(t)
  await member.close()
  t.match(readFileSync(join(dataDir, 'clean'), 'latin1'), /"revision":0/)
  t.equal(statSync(join(dataDir, 'store.json')).mode & 0o077, 0)
})

t.test('closing in the middle of reads ends them', async (t) => {
  const { store, clock, dataDir } = await open(t, { recentBytesMax: 0 })
  await Promise.all(Array.from({ length: 3000 }, (_, i) => commit(store, put(`k${i}`, Buffer.alloc(1000)))))
  for (let turns = 0; turns < 12; turns++) {
    const again = turns === 0 ? store : (await open(t, { dataDir, clock, recentBytesMax: 0 })).store
    const ranges = [again.range(everything), again.range(everything)]
    const watches = ['k', 'none'].map((prefix) => new RecordedWatch(again, 1, { prefix }))
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    await again.close()
    for (const range of await Promise.all(ranges)) {
      if (range.ok) t.equal(range.value.entries.length, 3000)
      else t.equal(range.failure.code, 'Unavailable')
    }
    for (const watch of watches) t.equal((await watch.end()).code, 'Unavailable')
  }
})

t.test('a watch that compaction overtakes ends as Compacted, never with a gap', async (t) => {
  const { store } = await open(t, { recentBytesMax: 0 })
  const total = 4000
  await Promise.all(Array.from({ length: total }, (_, i) => commit(store, put(`k${i % 7}`, `${i + 1}`))))
  const watches = Array.from({ length: 5 }, () => new RecordedWatch(store, 1, { previous: true }))
  await eventually('a watch to have begun', () => watches.some(({ batches }) => batches.length > 0))
  await store.compact(revision(total - 10))
  for (const watch of watches) {
    await watch.reached(total)
    const revisions = watch.batches.flatMap(({ events }) => events.map(({ revision }) => revision))
    t.same(
      revisions,
      revisions.map((_, i) => i + 1),
    )
    if (watch.revision < total) t.match(watch.ended, { code: 'Compacted' })
  }
})

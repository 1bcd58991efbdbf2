/** The whole state in a file: saved from a running member, checked, and made into a new cluster. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../../store/clock.ts'
import { revision } from '../../../store/contract.ts'
import { askMember, createAdminServer } from '../../../store/member/admin.ts'
import { openMember } from '../../../store/member/open.ts'
import { restoreSnapshot } from '../../../store/member/restore.ts'
import { readSnapshotFile } from '../../../store/member/snapshot-file.ts'
import { eventually } from '../../support/eventually.ts'
import { ask, prepareGroup } from '../group.ts'
import { Chance, commit, del, ManualClock, put, show, temporaryFolder } from '../support.ts'

const discard = async (): Promise<void> => {}

t.test('save, look, restore: the same data and history in another cluster', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'snapshot')
  const clock = new ManualClock()
  const dataDir = join(folder, 'data')
  const opened = await openMember({ dataDir, clock, identity: { dialect: 'kubernetes', clusterId: 'c1' } })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const { store } = opened.value
  for (let i = 0; i < 2000; i++) await commit(store, put(`k${i % 700}`, `${i}`.padEnd(i % 4000, '.')))
  await commit(store, del('k3'))
  await store.compact(revision(100))
  const admin = createAdminServer(opened.value, dataDir)
  await admin.start()
  t.same(await askMember(dataDir, { method: 'snapshot', path: file }), { ok: true, value: null })
  await commit(store, put('after', 'the snapshot'))
  await commit(store, del('after'))
  t.match(await askMember(dataDir, { method: 'status' }), {
    ok: true,
    value: { role: 'leader', revision: 2003 },
  })
  t.match(await askMember(dataDir, { method: 'remove', member: '1' }), {
    ok: false,
    failure: { code: 'Refused' },
  })
  await admin.close()
  t.match(await askMember(dataDir, { method: 'status' }), {
    ok: false,
    failure: { code: 'Refused', message: /no server runs on/ },
  })

  t.match(await readSnapshotFile(file, discard), {
    ok: true,
    value: { dialect: 'kubernetes', clusterId: 'c1', revision: 2001 },
  })

  const group = await prepareGroup(t, {
    names: ['a', 'b', 'c'],
    member: { identity: { dialect: 'kubernetes' } },
  })
  for (const name of ['a', 'b']) {
    const members = { name, initialCluster: `a=${group.address('a')},b=${group.address('b')}` }
    const restored = await restoreSnapshot({ file, dataDir: group.dataDir(name), group: members })
    t.match(restored, { ok: true, value: { revision: 2001 } })
  }
  const [first] = await Promise.all(['a', 'b'].map((name) => group.start(name)))
  if (first === undefined) throw new Error('none')
  t.not(first.identity.clusterId, 'c1')
  t.equal(first.identity.dialect, 'kubernetes')
  await group.leader()
  t.equal(await show(first.store), await show(store, 2001))
  t.equal(await show(first.store, 500), await show(store, 500), 'history too')
  t.equal(await commit(first.store, put('new', 'x')), 2002)
  await ask(first, { method: 'add', name: 'c', address: group.address('c') })
  const joined = await group.start('c', { initialClusterState: 'existing' })
  await eventually('c to have it all', async () => (await show(joined.store)) === (await show(first.store)))
  await store.close()
})

t.test('restoring to a directory in use, or to one alone', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'snapshot')
  const opened = await openMember({ dataDir: join(folder, 'data'), clock: systemClock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  await commit(opened.value.store, put('a', '1'))
  t.same(await opened.value.saveSnapshot(file), { ok: true, value: undefined })
  await opened.value.close()
  t.match(await restoreSnapshot({ file, dataDir: join(folder, 'data') }), {
    ok: false,
    failure: { code: 'NotEmpty' },
  })
  const dataDir = join(folder, 'other')
  t.match(await restoreSnapshot({ file, dataDir }), { ok: true })
  const again = await openMember({ dataDir, clock: systemClock })
  if (!again.ok) throw new Error(JSON.stringify(again.failure))
  t.equal(await show(again.value.store), 'a@1=1')
  t.equal(await commit(again.value.store, put('a', '2')), 2)
  await again.value.close()
})

t.test('where nothing can be made, restoring says so', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'snapshot')
  writeFileSync(file, 'no matter what')
  t.match(await restoreSnapshot({ file, dataDir: join(file, 'data') }), {
    ok: false,
    failure: { code: 'DiskFailed', message: /^cannot restore to .*: ENOTDIR/ },
  })
})

t.test('a file that is damaged or cut short is refused, and nothing is left behind', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'snapshot')
  const opened = await openMember({ dataDir: join(folder, 'data'), clock: systemClock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  for (let i = 0; i < 20; i++) await commit(opened.value.store, put(`k${i}`, 'v'.repeat(100)))
  await opened.value.saveSnapshot(file)
  await opened.value.close()
  const whole = readFileSync(file)
  const seed = 4711
  const chance = new Chance(seed)
  for (let turn = 0; turn < 60; turn++) {
    const damaged = Buffer.from(whole)
    const at = chance.below(whole.length)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << chance.below(8))
    const bytes = turn % 3 === 0 ? whole.subarray(0, at) : damaged
    writeFileSync(file, bytes)
    const dataDir = join(folder, `restored-${turn}`)
    const restored = await restoreSnapshot({ file, dataDir })
    t.notOk(restored.ok, `seed ${seed}, turn ${turn}, byte ${at} of ${whole.length}`)
    t.same(readdirSync(dataDir), [])
  }
})

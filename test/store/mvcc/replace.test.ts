/** Reads while another state is put in place of the one that they were asked of. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { key, revision } from '../../../store/contract.ts'
import { openDatabase } from '../../../store/disk/database.ts'
import { encodeGroup } from '../../../store/mvcc/command.ts'
import { Mvcc } from '../../../store/mvcc/mvcc.ts'
import { State } from '../../../store/mvcc/state.ts'
import { everything, put, temporaryFolder } from '../support.ts'

async function content(t: Test, name: string) {
  const database = await openDatabase(join(temporaryFolder(t), name))
  t.teardown(() => database.close())
  return { database, state: new State(), appliedIndex: 0, appliedTerm: 0 }
}

async function start(t: Test) {
  const corrupt: string[] = []
  const mvcc = new Mvcc({
    ...(await content(t, 'first')),
    recentBytesMax: 1024,
    defer: (action) => void setImmediate(action),
    onCorrupt: ({ message }) => corrupt.push(message),
  })
  return { mvcc, corrupt }
}

function group(value: string): Buffer {
  const transaction = { guards: [], ops: [put('a', value)] }
  return encodeGroup([{ type: 'transaction', transaction }], { wallMs: 0, origin: 1, sequence: 1 })
}

t.test('a read waits for the state that is coming, and reads that', async (t) => {
  const { mvcc, corrupt } = await start(t)
  mvcc.applyInTurn(1, 1, group('old'))
  mvcc.beginReplace()
  const range = mvcc.range(everything)
  const next = await content(t, 'second')
  const newer = new Mvcc({ ...next, recentBytesMax: 1024, defer: () => {}, onCorrupt: () => {} })
  newer.applyInTurn(1, 1, group('new'))
  mvcc.replace({ ...next, appliedIndex: 1, appliedTerm: 1 })
  t.match(await range, { ok: true, value: { entries: [{ key: key('a'), value: Buffer.from('new') }] } })
  t.same(corrupt, [])
})

t.test('reads and watches that wait for a state which cannot be installed end', async (t) => {
  const { mvcc, corrupt } = await start(t)
  mvcc.beginReplace()
  const range = mvcc.range(everything)
  const ended: string[] = []
  mvcc.watch(
    { ...everything, from: revision(7) },
    { onBatch: () => t.fail('a batch'), onEnd: ({ code }) => ended.push(code) },
  )
  mvcc.end({ code: 'Unavailable', message: 'the disk failed' })
  t.match(await range, { ok: false, failure: { code: 'Unavailable', message: 'the disk failed' } })
  t.same(ended, ['Unavailable'])
  t.same(corrupt, [])
})

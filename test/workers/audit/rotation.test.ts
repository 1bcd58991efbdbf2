/** Logs put aside, over files and a clock of the test's own: several processes write, one puts aside. */

import t from 'tap'
import { silentLog } from '../../../src/observe/log.ts'
import type { FileState, LogFiles } from '../../../workers/audit/files.ts'
import { createLogFile } from '../../../workers/audit/log-file.ts'
import { backupName, backupsIn, createRotation, selectBackups } from '../../../workers/audit/rotation.ts'
import type { AuditFileConfig } from '../../../workers/flags/audit.ts'
import { createManualClock } from '../../support/manual-clock.ts'

interface FakeFile {
  readonly inode: number
  text: string
  open: number
}

/** A folder in memory, with what `rename` and open files mean on a real one. */
function fakeFiles() {
  const byPath = new Map<string, FakeFile>()
  const state = { lastInode: 0, full: false }
  const files: LogFiles = {
    openToAppend(path) {
      const file = byPath.get(path) ?? { inode: ++state.lastInode, text: '', open: 0 }
      byPath.set(path, file)
      file.open++
      return {
        append(text) {
          if (state.full) throw new Error('ENOSPC: no space left on device, write')
          file.text += text
        },
        state: () => stateOf(file),
        close: () => void file.open--,
      }
    },
    async state(path) {
      const file = byPath.get(path)
      return file === undefined ? undefined : stateOf(file)
    },
    async list(folder) {
      return [...byPath.keys()].map((path) => path.slice(folder.length + 1))
    },
    async rename(from, to) {
      const file = byPath.get(from)
      if (file === undefined) throw new Error(`ENOENT: ${from}`)
      byPath.delete(from)
      byPath.set(to, file)
    },
    async remove(path) {
      byPath.delete(path)
    },
    async compress(from, to) {
      const file = byPath.get(from)
      if (file === undefined || file.open > 0) throw new Error(`${from} is open`)
      byPath.set(to, { ...file, inode: ++state.lastInode, text: `gz(${file.text})` })
    },
  }
  return { files, byPath, state }
}

function stateOf({ inode, text }: FakeFile): FileState {
  return { inode, bytes: text.length }
}

const path = '/log/audit.log'
const keepAll: AuditFileConfig = { path, bytesMax: 20, backupsMax: 0, ageDaysMax: 0, compress: false }

function setUp(change: Partial<AuditFileConfig> = {}, processes = 2) {
  const config = { ...keepAll, ...change }
  const clock = createManualClock()
  const fake = fakeFiles()
  const writers = Array.from({ length: processes }, () =>
    createLogFile({
      files: fake.files,
      path,
      bytesMax: config.bytesMax,
      askRotation: (inode) => rotation.rotate(inode),
    }),
  )
  const rotation = createRotation({
    config,
    files: fake.files,
    clock,
    log: silentLog,
    reopened: async () => {
      for (const writer of writers) writer.reopen()
    },
  })
  /** When everything that was asked for is done. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const texts = () =>
    Object.fromEntries([...fake.byPath].map(([name, { text }]) => [name.slice('/log/'.length), text]))
  return { ...fake, clock, writers, rotation, settled, texts }
}

t.test('a full log is put aside under the time, and no line is lost', async (t) => {
  const { writers, clock, settled, texts } = setUp()
  const [first, second] = writers
  first?.write('first line\n')
  second?.write('second line\n')
  t.same(texts(), { 'audit.log': 'first line\nsecond line\n' })
  // Both have seen it full, and only one file is put aside.
  first?.write('third line, seen full\n')
  second?.write('fourth line, seen full\n')
  await settled()
  second?.write('5\n')
  first?.write('6\n')
  t.same(texts(), {
    'audit-2026-01-01T00-00-00.000.log':
      'first line\nsecond line\nthird line, seen full\nfourth line, seen full\n',
    'audit.log': '5\n6\n',
  })
  clock.advance(61_001)
  first?.write('a line that is full alone\n')
  await settled()
  t.same(Object.keys(texts()), ['audit-2026-01-01T00-00-00.000.log', 'audit-2026-01-01T00-01-01.001.log'])
})

t.test('two in the same millisecond have two names', async (t) => {
  const { writers, settled, texts } = setUp({}, 1)
  for (const text of ['a', 'b']) {
    writers[0]?.write(`${text.repeat(20)}\n`)
    await settled()
  }
  t.same(Object.keys(texts()), ['audit-2026-01-01T00-00-00.000.log', 'audit-2026-01-01T00-00-00.001.log'])
})

t.test('what is put aside is compressed when nobody has it open', async (t) => {
  const { writers, settled, texts } = setUp({ compress: true })
  writers[1]?.write('b\n')
  writers[0]?.write('a'.repeat(20))
  await settled()
  t.same(texts(), { 'audit-2026-01-01T00-00-00.000.log.gz': `gz(b\n${'a'.repeat(20)})` })
})

t.test('too many and too old ones go', async (t) => {
  const { byPath, rotation, settled, clock } = setUp({ backupsMax: 2, ageDaysMax: 2 })
  const day = 24 * 3600 * 1000
  const now = clock.wallMs()
  for (const days of [0.5, 1, 1.5, 3])
    byPath.set(`/log/${backupName(path, now - days * day)}`, { inode: 0, text: '', open: 0 })
  byPath.set('/log/audit-other.log', { inode: 0, text: '', open: 0 })
  byPath.set('/log/other.log', { inode: 0, text: '', open: 0 })
  rotation.start()
  await settled()
  t.same(
    [...byPath.keys()].sort(),
    [backupName(path, now - day), backupName(path, now - 0.5 * day), 'audit-other.log', 'other.log']
      .map((name) => `/log/${name}`)
      .sort(),
  )
  await rotation.close()
})

t.test('a compressed log and the same uncompressed count as one', (t) => {
  const names = [
    'audit-2026-01-02T00-00-00.000.log.gz',
    'audit-2026-01-02T00-00-00.000.log',
    'audit-2026-01-01T00-00-00.000.log',
  ]
  const backups = backupsIn(names, path)
  t.same(
    backups.map(({ plainName }) => plainName.slice(6, 16)),
    ['2026-01-02', '2026-01-02', '2026-01-01'],
  )
  const { remove, compress } = selectBackups(
    backups,
    { backupsMax: 1, ageDaysMax: 0, compress: true },
    Date.UTC(2026, 0, 3),
  )
  t.same(
    remove.map(({ name }) => name),
    ['audit-2026-01-01T00-00-00.000.log'],
  )
  t.same(
    compress.map(({ name }) => name),
    ['audit-2026-01-02T00-00-00.000.log'],
  )
  t.end()
})

t.test('a disk that is full for a while', (t) => {
  const { writers, state, texts } = setUp({ bytesMax: 1000 })
  const [writer] = writers
  t.equal(writer?.write('a\n'), undefined)
  state.full = true
  t.match(writer?.write('b\n'), /ENOSPC/)
  state.full = false
  t.equal(writer?.write('c\n'), undefined)
  t.same(texts(), { 'audit.log': 'a\nc\n' })
  t.end()
})

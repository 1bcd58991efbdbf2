/** Taking an arrived state into use, when it or the disk turns out bad. */
import t from 'tap'
import { type Database, isLocked, openDatabase } from '../../../store/disk/database.ts'
import { nodeFiles } from '../../../store/disk/files.ts'
import { databaseFolder } from '../../../store/member/data-directory.ts'
import { createArrivingState } from '../../../store/member/installation.ts'
import { metaKey } from '../../../store/mvcc/meta.ts'
import { temporaryFolder } from '../support.ts'

t.test('a database that cannot be used is let go of', async (t) => {
  for (const [what, open, failure] of [
    ['a damaged state', openDatabase, { code: 'Corrupt', where: 'meta record' }],
    [
      'a full disk',
      async (path: string): Promise<Database> => {
        const write = async (_writes: unknown, { sync }: { readonly sync: boolean }) => {
          if (sync) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
        }
        return { ...(await openDatabase(path)), write }
      },
      { code: 'Unavailable', message: /while a state was installed: no space left/ },
    ],
  ] as const) {
    const dataDir = temporaryFolder(t)
    await nodeFiles.makeFolder(databaseFolder(dataDir))
    const current = await openDatabase(databaseFolder(dataDir))
    const opened: string[] = []
    const arriving = createArrivingState({
      dataDir,
      files: nodeFiles,
      openDatabase: (path) => {
        opened.push(path)
        return open(path)
      },
    })
    await arriving.begin()
    await arriving.write([[metaKey, Buffer.from('no meta record')]])
    t.match(await arriving.install(current, []), { ok: false, failure }, what)
    await current.close()
    for (const path of opened) t.notOk(await isLocked(path), `${what}: ${path}`)
  }
})

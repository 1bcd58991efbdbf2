import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { releaseLate } from '../../../store/disk/late-release.ts'

/** Names of files in `folder` that this process has open; deleted ones among them. */
function openFiles(folder: string): string[] {
  if (process.platform !== 'linux') return []
  const links = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return '' // closed between the listing and the read
    }
  })
  return links
    .filter((link) => link.startsWith(`${folder}/`))
    .map((link) => link.slice(folder.length + 1))
    .sort()
}

/** Lets `act` happen until the files of the folder that are open here are these, or time is up. */
async function until(folder: string, expected: readonly string[], act: () => void = () => {}): Promise<void> {
  const deadline = performance.now() + 60_000
  while (JSON.stringify(openFiles(folder)) !== JSON.stringify(expected) && performance.now() < deadline) {
    act()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

t.test('files of a database are open here for as long as their names are there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'late-release-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const onLinux = process.platform === 'linux'
  const expected = (...names: string[]): string[] => (onLinux ? names : [])
  writeFileSync(join(folder, '000003.ldb'), 'from before')
  const files = releaseLate(folder)
  writeFileSync(join(folder, '000004.log'), 'new')
  writeFileSync(join(folder, 'LOG'), 'of no interest')
  const write = (): void => files.wrote(1024 * 1024)
  await until(folder, expected('000003.ldb', '000004.log'), write)
  t.same(openFiles(folder), expected('000003.ldb', '000004.log'), 'data files, old and new')
  rmSync(join(folder, '000003.ldb'))
  await until(folder, expected('000004.log'), write)
  t.same(openFiles(folder), expected('000004.log'), 'a deleted one is let go')
  files.close()
  await until(folder, [])
  t.same(openFiles(folder), [], 'all are, at the end')
})

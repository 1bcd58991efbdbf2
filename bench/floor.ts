/**
 * What durability alone costs: the bare server of `baseline.ts`, whose writes are kept before they are answered. And what
 * TLS alone costs an event. No checks, no resources, no watch cache: what is between these figures and the server's is the
 * API's own work.
 *
 *     fsync    one process; the bodies that wait together are appended to a file and synced to the medium
 *     store    two processes, as the server has them: each body crosses the link, and is committed by the store
 *     tls      one process; an event is framed once, and the same bytes are written to each watcher's TLS socket
 */

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../store/clock.ts'
import { key } from '../store/contract.ts'
import { connectLink } from '../store/link/client.ts'
import { createLinkServer } from '../store/link/server.ts'
import { openMember } from '../store/member/open.ts'
import { type BaselineOptions, startBaseline } from './baseline.ts'

type Keep = (body: Buffer) => Promise<unknown>

/** Group commit: what arrives while a group is being synced is the next one. */
async function keepInFile(path: string): Promise<Keep> {
  const file = await open(path, 'a')
  let waiting: { readonly body: Buffer; readonly settle: () => void }[] = []
  let running = false
  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await file.writev(group.map(({ body }) => body))
      await file.datasync()
      for (const { settle } of group) settle()
    }
    running = false
  }
  return (body) =>
    new Promise<void>((settle) => {
      waiting.push({ body, settle })
      // In the next turn: company can gather, as it does in the store.
      if (!running && waiting.length === 1) setImmediate(() => void run())
    })
}

function keepInStore(linkPath: string): Keep {
  const store = connectLink({ path: linkPath, clock: systemClock })
  let sequence = 0
  return async (value) => {
    const at = key(`/floor/objects/default/object-${String(sequence++).padStart(10, '0')}`)
    const result = await store.commit({ guards: [], ops: [{ type: 'put', key: at, value }] })
    if (!result.ok) throw new Error(result.failure.code)
  }
}

async function serve(options: BaselineOptions): Promise<void> {
  const { url, ca } = await startBaseline(options)
  process.stdout.write(`${JSON.stringify({ url, ca })}\n`)
}

/** The store's process: opens a member and has a child of its own serve. */
async function runStore(directory: string, sizes: readonly string[]): Promise<void> {
  const member = await openMember({ dataDir: join(directory, 'store'), clock: systemClock })
  if (!member.ok) throw new Error(member.failure.message)
  const path = join(directory, 'link.sock')
  await createLinkServer({ store: member.value.store, path }).start()
  const child = fork(fileURLToPath(import.meta.url), ['serve', path, ...sizes])
  process.on('exit', () => child.kill('SIGKILL'))
}

/** As a child: `floor.js <floor> <list objects> <bytes of each>`; prints and ends as the baseline does. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, ...rest] = process.argv.slice(2)
  const sizes = what === 'serve' ? rest.slice(1) : rest
  const [listObjects = 0, listItemBytes = 0] = sizes.map(Number)
  if (what === 'serve') {
    await serve({ listObjects, listItemBytes, keep: keepInStore(rest[0] ?? '') })
  } else {
    const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-floor-'))
    process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
    process.stdin.resume().on('end', () => process.exit(0))
    if (what === 'store') await runStore(directory, sizes)
    else if (what === 'tls') await serve({ listObjects, listItemBytes, framedEvents: true })
    else await serve({ listObjects, listItemBytes, keep: await keepInFile(join(directory, 'log')) })
  }
}

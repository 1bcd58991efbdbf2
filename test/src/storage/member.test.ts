/** The same simulation over the real store: in process, and over a link, as a worker sees it. */

import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Store } from '../../../store/contract.ts'
import { connectLink } from '../../../store/link/client.ts'
import { createLinkServer } from '../../../store/link/server.ts'
import { openMember } from '../../../store/member/open.ts'
import { temporaryFolder } from '../../store/support.ts'
import { liveClock } from '../../support/live-clock.ts'
import { recordHistory } from './oracle.ts'
import { simulate } from './simulation.ts'

async function openStore(t: Test, dataDir: string): Promise<Store> {
  const opened = await openMember({ dataDir, clock: liveClock })
  if (!opened.ok) throw new Error(opened.failure.message)
  t.teardown(() => opened.value.close())
  return opened.value.store
}

const tight = { windowEventsMax: 3, snapshotsMax: 1, sliceBytes: 300, rangeEntriesMax: 2 }

t.test('storage over a member', async (t) => {
  for (const [seed, limits] of [
    [1, {}],
    [2, tight],
    [3, tight],
  ] as const) {
    const store = await openStore(t, temporaryFolder(t))
    const history = recordHistory(store)
    const report = await simulate({ seed, store, history, steps: 200, limits })
    t.strictSame(report.mismatches, [], `seed ${seed}`)
    t.equal(report.expired, 0)
    history.close()
  }
})

t.test('storage over a link to a member', async (t) => {
  const folder = temporaryFolder(t)
  const member = await openStore(t, folder)
  const path = join(folder, 'link')
  const server = createLinkServer({ store: member, path, onLinkError: (reason) => t.fail(reason) })
  await server.start()
  const store = connectLink({ path, clock: liveClock })
  t.teardown(async () => {
    await store.close()
    await server.close()
  })
  const history = recordHistory(member)
  const report = await simulate({ seed: 4, store, history, steps: 300, limits: tight })
  t.strictSame(report.mismatches, [])
  t.ok(report.events > 50)
  history.close()
})

import { join } from 'node:path'
import { connectLink } from '../../store/link/client.ts'
import { createLinkServer } from '../../store/link/server.ts'
import { openMember } from '../../store/member/open.ts'
import { contractSuite } from './contract-suite.ts'
import { Oracle } from './oracle.ts'
import { ManualClock, temporaryFolder } from './support.ts'

contractSuite('oracle', async () => {
  const clock = new ManualClock()
  return { store: new Oracle(clock), clock }
})

contractSuite('member', async (t) => {
  const clock = new ManualClock()
  const opened = await openMember({ dataDir: temporaryFolder(t), clock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  t.teardown(() => opened.value.close())
  return { store: opened.value.store, clock }
})

// The smallest memory: values and the history of watches come from disk.
contractSuite('member without recent values', async (t) => {
  const clock = new ManualClock()
  const opened = await openMember({ dataDir: temporaryFolder(t), clock, recentBytesMax: 0 })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  t.teardown(() => opened.value.close())
  return { store: opened.value.store, clock }
})

contractSuite('member over a link', async (t) => {
  const clock = new ManualClock()
  const folder = temporaryFolder(t)
  const opened = await openMember({ dataDir: folder, clock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const path = join(folder, 'link')
  const server = createLinkServer({
    store: opened.value.store,
    path,
    onLinkError: (reason) => t.fail(reason),
  })
  await server.start()
  t.teardown(async () => {
    await server.close()
    await opened.value.close()
  })
  return { store: connectLink({ path, clock, onLinkError: (reason) => t.fail(reason) }), clock }
})

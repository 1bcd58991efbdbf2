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

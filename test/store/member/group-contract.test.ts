/** The store contract through a follower of three members, on the loopback. */

import { contractSuite } from '../contract-suite.ts'
import { startGroup } from '../group.ts'
import { ManualClock } from '../support.ts'

contractSuite('follower of three', async (t) => {
  const clock = new ManualClock()
  const group = await startGroup(t, { names: ['a', 'b', 'c'], clock })
  return { store: group.member(await group.follower()).store, clock }
})

/** What a 1.30 server refuses is refused: all causes at once, in its words. */

import t from 'tap'
import { refusedChoices } from './refused-choices.ts'
import { refusedCore } from './refused-core.ts'
import { refusedGroups } from './refused-groups.ts'
import { refusedMore } from './refused-more.ts'
import { refusedNewer } from './refused-newer.ts'
import { refusedPods } from './refused-pods.ts'
import { refusedRest } from './refused-rest.ts'
import { refusedVolumes } from './refused-volumes.ts'
import { refusedWorkloads } from './refused-workloads.ts'
import { changed, differing, refusals, shown } from './validation.ts'

for (const [body, changes, causes] of [
  ...refusedPods,
  ...refusedVolumes,
  ...refusedChoices,
  ...refusedRest,
  ...refusedCore,
  ...refusedWorkloads,
  ...refusedGroups,
  ...refusedMore,
  ...refusedNewer,
]) {
  t.test(`${body.kind} with ${JSON.stringify(changes).slice(0, 100)}`, (t) => {
    const found = refusals(changed(body, changes))
    t.strictSame(differing(shown(found), causes), [])
    for (const { reason } of found) t.match(reason, /^FieldValue[A-Z]/)
    t.end()
  })
}

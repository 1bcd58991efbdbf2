/** What a 1.30 server accepts is accepted: a false refusal would be worse than a missed rule. */

import t from 'tap'
import { validCore } from './valid-core.ts'
import { validGroups } from './valid-groups.ts'
import { refusals, shown, updateRefusals } from './validation.ts'

for (const body of [...validCore, ...validGroups]) {
  t.test(
    `${body.apiVersion} ${body.kind} ${JSON.stringify(body.spec ?? body.data ?? {}).slice(0, 60)}`,
    (t) => {
      t.strictSame(shown(refusals(body)), [])
      if (body.kind !== 'Job')
        t.strictSame(shown(updateRefusals(body, body)), [], 'nor is a change of nothing')
      t.end()
    },
  )
}

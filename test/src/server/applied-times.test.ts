/** Applying what is there already is no write, however it is spelled and whenever it is done. */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'
import { liveClock } from '../../support/live-clock.ts'

t.test('the same quantity in other words, an hour later', async (t) => {
  let offsetMs = 0
  const clock = { ...liveClock, wallMs: () => liveClock.wallMs() + offsetMs }
  const server = await startInProcess({ options: { clock } })
  t.teardown(() => server.close())
  const apply = async (cpu: string): Promise<{ resourceVersion: string; managedFields: unknown }> => {
    const { status, body } = await server.request({
      method: 'PATCH',
      target: '/api/v1/namespaces/default/resourcequotas/q?fieldManager=m',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { cpu } } },
    })
    t.ok(status < 300, body.toString('utf8'))
    return JSON.parse(body.toString('utf8')).metadata
  }
  const first = await apply('1')
  for (const cpu of ['1', '1000m', '1']) {
    offsetMs += 3_600_000
    const again = await apply(cpu)
    t.equal(again.resourceVersion, first.resourceVersion, cpu)
    t.same(again.managedFields, first.managedFields)
  }
  offsetMs += 3_600_000
  t.not((await apply('2')).resourceVersion, first.resourceVersion)
})

/** Many clients at one object. Source: specification, "Update rules" 2; design, "One write". */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'

const items = '/api/v1/namespaces/default/configmaps'
const mergePatch = { 'content-type': 'application/merge-patch+json' }

t.test('patches without a version all apply', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })
  const clients = 10
  const answers = await Promise.all(
    Array.from({ length: clients }, (_, i) =>
      server.request({
        method: 'PATCH',
        target: `${items}/a`,
        headers: mergePatch,
        body: { data: { [`k${i}`]: 'v' } },
      }),
    ),
  )
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  const { body } = await server.request({ method: 'GET', target: `${items}/a` })
  const { data }: { data: Record<string, string> } = JSON.parse(body.toString('utf8'))
  t.equal(Object.keys(data).length, clients)
})

t.test('of replacements of one version, one wins', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const made = await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })
  const { metadata }: { metadata: { resourceVersion: string } } = JSON.parse(made.body.toString('utf8'))
  const { resourceVersion } = metadata
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      server.request({
        method: 'PUT',
        target: `${items}/a`,
        body: { metadata: { name: 'a', resourceVersion }, data: { winner: String(i) } },
      }),
    ),
  )
  const codes = answers.map(({ status }) => status).sort()
  t.same(codes, [200, 409, 409, 409, 409, 409, 409, 409])
})

t.test('of creations of one name, one wins; of generated names, all', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const create = (metadata: object) => server.request({ method: 'POST', target: items, body: { metadata } })
  const same = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'a' })))
  t.same(same.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  const generated = await Promise.all(Array.from({ length: 20 }, () => create({ generateName: 'g-' })))
  t.same(new Set(generated.map(({ status }) => status)), new Set([201]))
})

/** Clients keep the aggregated document and ask only whether it has changed. */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

t.test('an unchanged document is not sent again', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const first = await server.request({ method: 'GET', target: '/apis', headers: { accept } })
  const etag = String(first.headers['etag'])
  const again = await server.request({
    method: 'GET',
    target: '/apis',
    headers: { accept, 'if-none-match': etag },
  })
  t.equal(again.status, 304)
  t.equal(again.body.length, 0)
  t.equal(again.headers['etag'], etag)
})

t.test('every served resource is in its list, with what clients need to find it', async (t) => {
  const server = await startInProcess({
    options: { runtimeConfig: new Map([['api/all', true]]) },
  })
  t.teardown(() => server.close())
  const { body } = await server.request({ method: 'GET', target: '/apis' })
  const { groups }: { groups: { versions: { groupVersion: string }[] }[] } = JSON.parse(body.toString('utf8'))
  const paths = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`)),
  ]
  for (const path of paths) {
    const answer = await server.request({ method: 'GET', target: path })
    t.match(
      JSON.parse(answer.body.toString('utf8')),
      { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: path.replace(/^\/apis?\//, '') },
      path,
    )
  }
  t.ok(
    paths.some((path) => path.includes('alpha')),
    'alpha versions too',
  )
})

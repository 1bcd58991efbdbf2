/** The server when something behind or before it fails. Source: specification, "Errors". */

import t from 'tap'
import { fail } from '../../../store/contract.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess } from '../../support/in-process-server.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const items = '/api/v1/namespaces/default/configmaps'
const authorization = `Bearer ${adminToken}`

interface StatusBody {
  readonly reason?: string
  readonly message?: string
}

function statusOf(body: Buffer): StatusBody {
  return JSON.parse(body.toString('utf8'))
}

t.test('a store that is not there: 503, and try again', async (t) => {
  const store = createMemoryStore()
  const server = await startInProcess({ store })
  t.teardown(() => server.close())
  await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })
  store.setUnavailable(true)
  const requests = [
    { method: 'GET' },
    { method: 'PUT', body: { metadata: { name: 'a' }, data: { x: 'y' } } },
    { method: 'DELETE' },
  ]
  const answers = await Promise.all(requests.map((one) => server.request({ ...one, target: `${items}/a` })))
  for (const { status, headers, body } of answers) {
    t.equal(status, 503)
    t.equal(headers['retry-after'], '1')
    t.equal(statusOf(body).reason, 'ServiceUnavailable')
  }
  const ready = await server.request({ method: 'GET', target: '/readyz' })
  t.equal(ready.status, 500)
  t.match(ready.body.toString(), '[-]store failed: reason withheld')
  store.setUnavailable(false)
  t.equal((await server.request({ method: 'GET', target: `${items}/a` })).status, 200)
  t.equal((await server.request({ method: 'GET', target: '/readyz' })).status, 200)
})

t.test('a write whose fate is not known is never called failed', async (t) => {
  const memory = createMemoryStore()
  let lost = false
  const server = await startInProcess({
    store: {
      ...memory,
      commit: (transaction) =>
        lost
          ? Promise.resolve(fail({ code: 'Unknown', message: 'the link was lost' }))
          : memory.commit(transaction),
    },
  })
  t.teardown(() => server.close())
  lost = true
  const answer = await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })
  t.equal(answer.status, 504)
  t.equal(statusOf(answer.body).reason, 'Timeout')
  t.match(statusOf(answer.body).message, /may or may not have been carried out/)
  t.equal(answer.headers['retry-after'], undefined, 'nobody repeats it unasked')
})

t.test('a bug behind a request is answered with 500, and the server lives', async (t) => {
  const memory = createMemoryStore()
  let broken = false
  const server = await startInProcess({
    store: {
      ...memory,
      commit(transaction) {
        if (broken && transaction.ops.some(({ key }) => key.includes('/configmaps/')))
          throw new Error('a bug')
        return memory.commit(transaction)
      },
    },
  })
  t.teardown(() => server.close())
  broken = true
  const answer = await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })
  t.equal(answer.status, 500)
  t.equal(statusOf(answer.body).reason, 'InternalError')
  t.notMatch(statusOf(answer.body).message, /a bug/)
  broken = false
  t.equal(
    (await server.request({ method: 'POST', target: items, body: { metadata: { name: 'a' } } })).status,
    201,
  )
})

t.test('a request that takes too long is answered when its time is over', async (t) => {
  const memory = createMemoryStore()
  let stuck = false
  let release = () => {}
  const server = await startInProcess({
    options: { requestTimeoutMs: 60_000 },
    store: {
      ...memory,
      async commit(transaction) {
        if (stuck)
          await new Promise<void>((resolve) => {
            release = resolve
          })
        return memory.commit(transaction)
      },
    },
  })
  t.teardown(() => server.close())
  stuck = true
  const answer = await server.request({
    method: 'POST',
    target: `${items}?timeout=100ms`,
    body: { metadata: { name: 'a' } },
  })
  t.equal(answer.status, 504)
  t.equal(statusOf(answer.body).reason, 'Timeout')
  release()
})

t.test('a client that goes away in its body is no trouble', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const { answered } = exchangeWith(server.api.handler, {
    method: 'POST',
    target: items,
    headers: { authorization, 'content-type': 'application/json' },
    abortsBody: true,
  })
  t.equal((await answered).status, 400)
})

t.test('a stop: not ready at once, watches end cleanly, nothing is left', async (t) => {
  const server = await startInProcess()
  const watch = await server.watch({ method: 'GET', target: `${items}?watch=1` })
  t.same(server.api.inFlight(), { requests: 1, watches: 1 })
  server.api.drain()
  t.equal((await server.request({ method: 'GET', target: '/readyz' })).status, 500)
  t.equal((await server.request({ method: 'GET', target: '/livez' })).status, 200)
  t.equal((await server.request({ method: 'GET', target: items })).status, 200)
  await server.close()
  t.equal(await watch.next(), undefined)
  t.same(server.api.inFlight(), { requests: 0, watches: 0 })
})

t.test('a watcher that goes away is forgotten', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const watch = await server.watch({ method: 'GET', target: `${items}?watch=1` })
  t.equal(server.api.inFlight().watches, 1)
  watch.close()
  t.equal(server.api.inFlight().watches, 0)
})

t.test('a store that comes late: the server starts, and is ready when it is there', async (t) => {
  const store = createMemoryStore()
  store.setUnavailable(true)
  const starting = startInProcess({ store })
  await new Promise((resolve) => setImmediate(resolve))
  store.setUnavailable(false)
  const server = await starting
  t.teardown(() => server.close())
  t.equal((await server.request({ method: 'GET', target: '/readyz' })).status, 200)
})

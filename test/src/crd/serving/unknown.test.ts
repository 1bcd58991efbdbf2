/** What is asked of the store before somebody is told that there is no such resource. */

import t from 'tap'
import { fail, type Store } from '../../../../store/contract.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { clientOf, cronTabs, establish } from './crontabs.ts'

const group = 'stable.example.com'

interface WatchedStore {
  readonly store: Store
  rounds: number
  isAway: boolean
}

function watchedStore(): WatchedStore {
  const inner = createMemoryStore()
  const watched: WatchedStore = {
    rounds: 0,
    isAway: false,
    store: {
      ...inner,
      async readIndex() {
        watched.rounds++
        return watched.isAway ? fail({ code: 'Unavailable', message: 'no leader' }) : inner.readIndex()
      },
    },
  }
  return watched
}

t.test('unknown resources', async (t) => {
  const watched = watchedStore()
  const server = await startInProcess({ store: watched.store })
  t.teardown(() => server.close())
  const client = clientOf(server)
  const unknown = (n: number) => `/apis/none${n}.example.com/v1/things`

  await t.test('those who ask together share one look', async (t) => {
    watched.rounds = 0
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => client.get(unknown(n))))
    t.ok(answers.every(({ status }) => status === 404))
    t.ok(watched.rounds < 30, `${watched.rounds} rounds for 100 requests`)
  })

  await t.test('each look is its own: what is found missing is not remembered', async (t) => {
    watched.rounds = 0
    for (let n = 0; n < 5; n++) t.equal((await client.get(unknown(0))).status, 404)
    t.ok(watched.rounds >= 5, `${watched.rounds} rounds for 5 requests`)
  })

  await t.test('where the store cannot say, nobody is told that there is nothing', async (t) => {
    watched.isAway = true
    t.match(await client.get(unknown(0)), { status: 503, body: { reason: 'ServiceUnavailable' } })
    t.equal((await client.get('/apis')).status, 200, 'what is known can be discovered')
    watched.isAway = false
    t.equal((await client.get(unknown(0))).status, 404)
  })
})

t.test('what is known costs no look', async (t) => {
  const watched = watchedStore()
  const server = await startInProcess({ store: watched.store })
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, cronTabs())
  const path = `/apis/${group}/v1/namespaces/default/crontabs`
  await client.get(path)
  const before = watched.rounds
  for (let n = 0; n < 20; n++) t.equal((await client.get(`${path}?resourceVersion=0`)).status, 200)
  t.ok(watched.rounds - before < 10, `${watched.rounds - before} rounds for 20 requests`)
})

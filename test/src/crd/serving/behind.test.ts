/** A server that hears late of what became of a definition leaves nothing behind of it. */

import t from 'tap'
import type { Store } from '../../../../store/contract.ts'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { clientOf, cronTab, cronTabs, definitionsPath, establish } from './crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`

interface LateStore {
  readonly store: Store
  /** Writes that were tried. */
  readonly commits: number
  /** Events wait until {@link goOn}. */
  hold(): void
  goOn(): void
}

function lateStore(inner: Store): LateStore {
  let isHeld = false
  let waiting: (() => void)[] = []
  let commits = 0
  return {
    get commits() {
      return commits
    },
    store: {
      ...inner,
      commit(transaction) {
        commits++
        return inner.commit(transaction)
      },
      watch(request, listener) {
        const inOrder = (action: () => void) => (isHeld ? void waiting.push(action) : action())
        return inner.watch(request, {
          onBatch: (batch) => inOrder(() => listener.onBatch(batch)),
          onEnd: (failure) => inOrder(() => listener.onEnd(failure)),
        })
      },
    },
    hold() {
      isHeld = true
    },
    goOn() {
      isHeld = false
      const actions = waiting
      waiting = []
      for (const action of actions) action()
    },
  }
}

t.test('an object of a definition that is gone', async (t) => {
  const store = createMemoryStore()
  const late = lateStore(store)
  const first = await startInProcess({ store })
  const second = await startInProcess({ store: late.store })
  t.teardown(async () => {
    await second.api.close()
    await first.close()
  })
  const [here, behind] = [clientOf(first), clientOf(second)]
  await establish(here, cronTabs())
  t.equal((await behind.post(path, cronTab('before'))).status, 201)

  late.hold()
  const definition = `${definitionsPath}/crontabs.${group}`
  await here.delete(definition)
  await eventually('the definition to be gone', async () => (await here.get(definition)).status === 404)
  const { commits } = late
  const created = behind.post(path, cronTab('after'))
  await eventually('the object to be written', () => late.commits > commits)
  late.goOn()
  t.match(await created, { status: 405, body: { reason: 'MethodNotAllowed' } })

  await establish(here, cronTabs())
  t.same((await here.get(path)).body.items, [])
  t.equal((await behind.post(path, cronTab('again'))).status, 201)
})

t.test('an object of a definition that has changed', async (t) => {
  const store = createMemoryStore()
  const late = lateStore(store)
  const first = await startInProcess({ store })
  const second = await startInProcess({ store: late.store })
  t.teardown(async () => {
    await second.api.close()
    await first.close()
  })
  const [here, behind] = [clientOf(first), clientOf(second)]
  await establish(here, cronTabs())
  t.equal((await behind.get(path)).status, 200)
  late.hold()
  const metadata = { labels: { changed: 'yes' } }
  t.equal((await here.patch(`${definitionsPath}/crontabs.${group}`, { metadata })).status, 200)
  const { commits } = late
  const created = behind.post(path, cronTab('a'))
  await eventually('the object to be written', () => late.commits > commits)
  late.goOn()
  t.equal((await created).status, 201, 'it is tried again')
})

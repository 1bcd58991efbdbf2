/**
 * Turns of the event loop, system calls and bytes copied for each request, with client, server, link and disk in one
 * process: a change that makes one more of something has to say so here.
 */

import t, { type Test } from 'tap'
import { configMap } from '../../bench/client/request.ts'
import { batchesAtRest, startRig } from './rig.ts'
import { countSystem, type SystemCounts } from './turns.ts'

const collection = '/api/v1/namespaces/default/configmaps'
/** Where none of the others are. */
const listed = '/api/v1/namespaces/kube-system/configmaps'
const together = 32
const rounds = 10

/**
 * For each request (of a list: for each object). Of `bytesWritten` the client's request is a part, and for a write what
 * the link and the disk are given.
 */
interface Most {
  readonly turns: number
  readonly writes: number
  readonly reads: number
  readonly bytesWritten: number
}

function object(name: string): object {
  const parsed: object = JSON.parse(configMap(name, 1024))
  return parsed
}

/** The least of some rounds: in others a timer, a compaction or a bookmark came between. */
async function leastOf(round: (n: number) => Promise<unknown>): Promise<SystemCounts> {
  const all: SystemCounts[] = []
  for (let n = 0; n < rounds; n++) {
    const count = countSystem()
    await round(n)
    all.push(count())
  }
  const least = (of: (counts: SystemCounts) => number) => Math.min(...all.map(of))
  return {
    turns: all[0]?.turns === undefined ? undefined : least(({ turns }) => turns ?? 0),
    reads: least(({ reads }) => reads),
    writes: least(({ writes }) => writes),
    bytesRead: least(({ bytesRead }) => bytesRead),
    bytesWritten: least(({ bytesWritten }) => bytesWritten),
  }
}

function atMost(t: Test, counts: SystemCounts, requests: number, most: Most): void {
  for (const what of ['turns', 'writes', 'reads', 'bytesWritten'] as const) {
    const count = counts[what]
    if (count === undefined) {
      t.comment(`this Node does not count ${what}`)
      continue
    }
    const each = count / requests
    t.ok(
      each > 0 && each <= most[what],
      `${what} for each request: ${each.toFixed(2)}, at most ${most[what]}`,
    )
  }
}

const rig = await startRig()
t.teardown(() => rig.close())
await batchesAtRest(rig)

t.test('one request after the other', async (t) => {
  const expect = async (method: string, path: string, status: number, body?: object, type?: string) => {
    const found = await rig.send(method, path, body, type)
    if (found !== status) throw new Error(`${method} ${path}: ${found}`)
  }
  await expect('POST', collection, 201, object('one'))
  const item = `${collection}/one`

  await t.test('get', async (t) => {
    const counts = await leastOf(() => expect('GET', item, 200))
    atMost(t, counts, 1, { turns: 5, writes: 5, reads: 5, bytesWritten: 2300 })
  })
  await t.test('get from the cache', async (t) => {
    const counts = await leastOf(() => expect('GET', `${item}?resourceVersion=0`, 200))
    atMost(t, counts, 1, { turns: 3, writes: 3, reads: 3, bytesWritten: 2300 })
  })
  await t.test('create', async (t) => {
    const counts = await leastOf((n) => expect('POST', collection, 201, object(`alone-${n}`)))
    atMost(t, counts, 1, { turns: 8, writes: 8, reads: 9, bytesWritten: 11_000 })
  })
  await t.test('merge patch', async (t) => {
    const type = 'application/merge-patch+json'
    const counts = await leastOf((n) => expect('PATCH', item, 200, { data: { n: String(n) } }, type))
    atMost(t, counts, 1, { turns: 8, writes: 8, reads: 9, bytesWritten: 11_000 })
  })
})

t.test('a write reaches its watchers in the turns of its answer, with one write to each', async (t) => {
  const watchers = 8
  const path = '/api/v1/namespaces/default/secrets'
  let arrived = 0
  let onAll = (): void => {}
  const onEvent = (): void => {
    if (++arrived % watchers === 0) onAll()
  }
  for (let i = 0; i < watchers; i++) await rig.watch(`${path}?watch=true&labelSelector=app%3Dweb`, onEvent)
  // Others, whom it does not concern.
  for (let i = 0; i < watchers; i++) await rig.watch(`${path}?watch=true&labelSelector=app%3Ddb${i}`, onEvent)
  const write = async (n: number): Promise<void> => {
    const all = new Promise<void>((resolve) => {
      onAll = resolve
    })
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s-${n}`, labels: { app: 'web' } } }
    if ((await rig.send('POST', path, body)) !== 201) throw new Error('not created')
    await all
  }
  for (let n = 0; n < rounds; n++) await write(n)
  const counts = await leastOf((n) => write(rounds + n))
  // Those of a create alone, a turn in which the watchers read, and a write to each of them.
  atMost(t, counts, 1, { turns: 8, writes: 8 + watchers, reads: 9 + 2 * watchers, bytesWritten: 16_000 })
  t.equal(arrived, 2 * rounds * watchers, 'each event once, to those who select it')
})

t.test('requests that come together share turns', async (t) => {
  const all = (one: (i: number) => Promise<number>) =>
    Promise.all(Array.from({ length: together }, (_, i) => one(i)))
  await all((i) => rig.send('POST', collection, object(`warm-${i}`)))

  await t.test('get', async (t) => {
    const counts = await leastOf(() => all((i) => rig.send('GET', `${collection}/warm-${i}`)))
    atMost(t, counts, together, { turns: 0.25, writes: 2.2, reads: 2.2, bytesWritten: 2200 })
  })
  await t.test('create', async (t) => {
    const counts = await leastOf((n) => all((i) => rig.send('POST', collection, object(`c-${n}-${i}`))))
    atMost(t, counts, together, { turns: 0.4, writes: 2.6, reads: 2.5, bytesWritten: 9000 })
  })
})

t.test('a list of 300 objects leaves in few writes, each byte copied to a socket once', async (t) => {
  for (let n = 0; n < 300; n += together) {
    const names = Array.from({ length: Math.min(together, 300 - n) }, (_, i) => `l-${n + i}`)
    await Promise.all(names.map((name) => rig.send('POST', listed, object(name))))
  }
  const counts = await leastOf(() => rig.send('GET', `${listed}?resourceVersion=0`))
  atMost(t, counts, 300, { turns: 0.05, writes: 0.05, reads: 0.08, bytesWritten: 1500 })
})

/** What every implementation of the store contract must do, as one suite. */

import t, { type Test } from 'tap'
import {
  key,
  keyAfterPrefix,
  revision,
  type Store,
  transactionBytesMax,
  transactionOpsMax,
  valueBytesMax,
} from '../../store/contract.ts'
import { eventually } from '../support/eventually.ts'
import { commit, del, everything, guard, type ManualClock, put, RecordedWatch, show } from './support.ts'

interface Opened {
  readonly store: Store
  /** The time that the store sees. */
  readonly clock: ManualClock
}

export function contractSuite(name: string, open: (t: Test) => Promise<Opened>): void {
  const test = (what: string, body: (t: Test, opened: Opened) => Promise<void>): void => {
    t.test(`${name}: ${what}`, async (t) => {
      const opened = await open(t)
      await body(t, opened)
      await opened.store.close()
    })
  }

  test('the picture in the contract', async (t, { store }) => {
    t.equal(await commit(store, put('a', 'A1')), 1)
    t.equal(await commit(store, put('b', 'B2')), 2)
    t.equal(await commit(store, put('a', 'A3')), 3)
    t.equal(await commit(store, put('b', 'B4')), 4)
    t.equal(await commit(store, del('a')), 5)
    t.equal(await show(store), 'b@4=B4')
    t.equal(await show(store, 0), '')
    t.equal(await show(store, 1), 'a@1=A1')
    t.equal(await show(store, 4), 'a@3=A3 b@4=B4')
    t.equal(await show(store, 6), 'FutureRevision')
    const watch = await new RecordedWatch(store, 3).reached(5)
    t.same(watch.events(), ['put a@3=A3', 'put b@4=B4', 'delete a@5'])
    t.same(await store.compact(revision(3)), { ok: true, value: undefined })
    t.equal(await show(store, 2), 'Compacted')
    t.equal(await show(store, 3), 'a@3=A3 b@2=B2')
    const after = await new RecordedWatch(store, 4, { previous: true }).reached(5)
    t.same(after.events(), ['put b@4=B4 (was b@2=B2)', 'delete a@5 (was a@3=A3)'])
    t.same(await new RecordedWatch(store, 3).end(), { code: 'Compacted', requested: 3, oldest: 3 })
    t.same(await new RecordedWatch(store, 7).end(), { code: 'FutureRevision', requested: 7, current: 5 })
  })

  test('a transaction is all or nothing at one revision', async (t, { store }) => {
    const watch = new RecordedWatch(store, 1)
    t.equal(await commit(store, put('a', '1'), put('b', '1'), put('c', '1')), 1)
    const refused = await store.commit({
      guards: [guard('a', 1), guard('b', 7), guard('c', 8)],
      ops: [put('a', '2')],
    })
    t.match(refused, { ok: false, failure: { code: 'GuardFailed', key: 'b', expected: 7, revision: 1 } })
    if (!refused.ok && refused.failure.code === 'GuardFailed') {
      t.same(refused.failure.current, { key: 'b', value: Buffer.from('1'), modRevision: 1 })
    }
    const done = await store.commit({
      guards: [guard('a', 1), guard('x', 0)],
      ops: [put('a', '2'), del('b'), del('absent'), put('x', '')],
    })
    t.same(done, { ok: true, value: { revision: 2 } })
    t.equal(await show(store), 'a@2=2 c@1=1 x@2=')
    await watch.reached(2)
    t.same(
      watch.batches.flatMap(({ events }) => events).map(({ revision, key }) => `${key}@${revision}`),
      ['a@1', 'b@1', 'c@1', 'a@2', 'b@2', 'x@2'],
    )
    t.equal(watch.batches.filter(({ events }) => events.some((event) => event.revision === 2)).length, 1)
  })

  test('a guard on an absent key', async (t, { store }) => {
    const create = { guards: [guard('a', 0)], ops: [put('a', '1')] }
    t.same(await store.commit(create), { ok: true, value: { revision: 1 } })
    t.match(await store.commit(create), { ok: false, failure: { code: 'GuardFailed', expected: 0 } })
    await commit(store, del('a'))
    const update = { guards: [guard('a', 1)], ops: [put('a', '2')] }
    const refused = await store.commit(update)
    t.same(refused, { ok: false, failure: { code: 'GuardFailed', key: 'a', expected: 1, revision: 2 } })
    t.same(await store.commit(create), { ok: true, value: { revision: 3 } })
  })

  test('what changes nothing keeps the revision', async (t, { store }) => {
    t.equal(await commit(store, del('absent')), 0)
    t.equal(await commit(store), 0)
    t.equal(await commit(store, put('a', '1')), 1)
    t.equal(await commit(store, del('absent')), 1)
    t.equal(await commit(store, put('a', '1')), 2, 'a put of the same value is a change')
  })

  test('of concurrent guarded commits one wins', async (t, { store }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.commit({ guards: [guard('a', 0)], ops: [put('a', `${i}`)] }),
      ),
    )
    t.equal(results.filter((result) => result.ok).length, 1)
    t.match(await show(store), /^a@1=\d+$/)
  })

  test('ranges: bounds, limit, count, keys only', async (t, { store }) => {
    for (const name of ['a', 'b', 'b/1', 'b/2', 'b/3', 'c', '\xff']) await commit(store, put(name, name))
    const children = { start: key('b/'), end: keyAfterPrefix('b/') }
    const read = async (request: Parameters<Store['range']>[0]) => {
      const result = await store.range(request)
      if (!result.ok) return result.failure
      const { entries, more, count, revision } = result.value
      return { keys: entries.map((entry) => entry.key).join(' '), more, count, revision }
    }
    t.same(await read(children), { keys: 'b/1 b/2 b/3', more: false, count: 3, revision: 7 })
    t.same(await read({ ...children, limit: 2 }), { keys: 'b/1 b/2', more: true, count: 3, revision: 7 })
    t.same(await read({ ...children, limit: 3 }), { keys: 'b/1 b/2 b/3', more: false, count: 3, revision: 7 })
    t.same(await read({ ...children, limit: 1, revision: revision(4) }), {
      keys: 'b/1',
      more: true,
      count: 2,
      revision: 4,
    })
    t.same(await read({ start: key('c'), end: key('b') }), { keys: '', more: false, count: 0, revision: 7 })
    const keysOnly = await store.range({ ...children, keysOnly: true })
    t.ok(keysOnly.ok && keysOnly.value.entries.every(({ value }) => value.length === 0))
    t.same(keysOnly.ok && keysOnly.value.entries.map((entry) => entry.modRevision), [3, 4, 5])
    t.equal((await store.range({ start: key('\xff'), end: key('\xff\x00') })).ok, true)
  })

  test('keys and values are any bytes', async (t, { store }) => {
    const name = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))
    const value = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) & 255))
    await commit(store, put(name, value), put('__proto__', 'x'))
    const found = await store.range({ start: key(name), end: key(`${name}\x00`) })
    t.ok(found.ok && found.value.entries[0]?.value.equals(value))
    t.equal(found.ok && found.value.entries[0]?.key, name)
  })

  test('limits are refused as TooLarge, at the limit is fine', async (t, { store }) => {
    const big = Buffer.alloc(valueBytesMax + 1)
    const failure = async (...ops: Parameters<typeof commit> extends [Store, ...infer O] ? O : never) => {
      const result = await store.commit({ guards: [], ops })
      return result.ok ? 'ok' : result.failure
    }
    t.same(await failure(put('a', big)), {
      code: 'TooLarge',
      found: valueBytesMax + 1,
      limit: valueBytesMax,
      what: 'value bytes',
    })
    t.equal(await failure(put('a', big.subarray(1))), 'ok')
    const many = Array.from({ length: transactionOpsMax + 1 }, (_, i) => put(`k${i}`, ''))
    t.match(await failure(...many), { code: 'TooLarge', what: 'operations', limit: transactionOpsMax })
    t.equal(await failure(...many.slice(1)), 'ok')
    const heavy = Array.from({ length: 6 }, (_, i) => put(`h${i}`, big.subarray(1)))
    t.match(await failure(...heavy), {
      code: 'TooLarge',
      what: 'transaction bytes',
      limit: transactionBytesMax,
    })
    const guards = Array.from({ length: transactionOpsMax + 1 }, (_, i) => guard(`g${i}`, 0))
    t.match(await store.commit({ guards, ops: [] }), { failure: { code: 'TooLarge', what: 'guards' } })
  })

  test('an answered commit is known to ranges, watches and the read index', async (t, { store }) => {
    const watch = new RecordedWatch(store, 1)
    for (let i = 1; i <= 20; i++) {
      const at = await commit(store, put(`k${i % 3}`, `${i}`))
      t.equal(at, i)
      const index = await store.readIndex()
      t.ok(index.ok && index.value >= at)
      const range = await store.range({ ...everything, keysOnly: true })
      t.ok(range.ok && range.value.revision >= at)
      await watch.reached(at)
    }
    t.equal(watch.events().length, 20)
  })

  test('a watch gets its own range and progress for the rest', async (t, { store }) => {
    await commit(store, put('a/1', '1'))
    const watch = new RecordedWatch(store, 2, { prefix: 'a/', previous: true })
    const past = new RecordedWatch(store, 1, { prefix: 'b/' })
    await past.reached(1)
    t.same(past.events(), [], 'history without an event is progress')
    await commit(store, put('b/1', '1'))
    await watch.reached(2)
    t.same(watch.batches, [{ revision: 2, events: [] }])
    await commit(store, put('a/1', '2'))
    await commit(store, del('a/1'))
    await watch.reached(4)
    t.same(watch.events(), ['put a/1@3=2 (was a/1@1=1)', 'delete a/1@4 (was a/1@3=2)'])
    await past.reached(4)
    t.same(past.events(), ['put b/1@2=1'])
    watch.watch.close()
    watch.watch.close()
    await commit(store, put('a/2', '1'))
    await past.reached(5)
    t.equal(watch.revision, 4, 'closed: nothing more')
    t.equal(watch.ended, undefined)
  })

  test('history and what happens meanwhile join without gap', async (t, { store }) => {
    const total = 300
    for (let i = 1; i <= total; i++) await commit(store, put(`k${i % 10}`, `${i}`))
    const watches = [1, 2, 150, total, total + 1].map((from) => new RecordedWatch(store, from))
    const writes: Promise<number>[] = []
    for (let i = 1; i <= total; i++) {
      writes.push(commit(store, put(`k${i % 10}`, `${total + i}`)))
      if (i % 50 === 0) await Promise.all(writes)
    }
    await Promise.all(writes)
    for (const [i, watch] of watches.entries()) {
      await watch.reached(2 * total)
      const from = [1, 2, 150, total, total + 1][i] ?? 0
      t.same(
        watch.batches.flatMap(({ events }) => events.map(({ revision }) => revision)),
        Array.from({ length: 2 * total - from + 1 }, (_, n) => from + n),
      )
    }
  })

  test('compaction keeps the present and what is newer', async (t, { store }) => {
    for (let i = 1; i <= 10; i++) await commit(store, put(`k${i % 2}`, `${i}`))
    await commit(store, del('k0'))
    await store.compact(revision(11))
    t.equal(await show(store), 'k1@9=9')
    t.equal(await show(store, 11), 'k1@9=9')
    t.equal(await show(store, 10), 'Compacted')
    t.same(await store.compact(revision(5)), { ok: true, value: undefined }, 'older: nothing happens')
    t.same(await store.compact(revision(12)), {
      ok: false,
      failure: { code: 'FutureRevision', requested: 12, current: 11 },
    })
    const status = await store.status()
    t.match(status, { ok: true, value: { revision: 11, oldest: 11, keys: 1 } })
    t.equal(await commit(store, put('k0', 'new')), 12)
    t.equal(await show(store), 'k0@12=new k1@9=9')
    t.equal(await show(store, 11), 'k1@9=9')
  })

  test('keys with a time to live become deletes', async (t, { store, clock }) => {
    const watch = new RecordedWatch(store, 1, { previous: true })
    await commit(store, put('short', '1', 5000))
    await commit(store, put('long', '1', 60_000))
    await commit(store, put('renewed', '1', 5000))
    await commit(store, put('kept', '1', 5000))
    await commit(store, put('renewed', '2', 60_000))
    await commit(store, put('kept', '2'))
    clock.advance(4000)
    t.equal(await commit(store, put('now', '1')), 7)
    t.match(await show(store), 'kept@6=2 long@2=1 now@7=1 renewed@5=2 short@1=1')
    await eventually('the short one to expire', async () => {
      clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
      return !(await show(store)).includes('short')
    })
    t.equal(await show(store), 'kept@6=2 long@2=1 now@7=1 renewed@5=2')
    await watch.reached(8)
    t.equal(watch.events().at(-1), 'delete short@8 (was short@1=1)')
    clock.advance(60_000)
    await eventually('the others to expire', async () => {
      clock.advance(1000)
      return (await show(store)) === 'kept@6=2 now@7=1'
    })
  })

  test('status counts', async (t, { store }) => {
    await commit(store, put('a', '1'))
    await commit(store, put('b', '1'))
    await commit(store, del('a'))
    const status = await store.status()
    t.match(status, { ok: true, value: { revision: 3, oldest: 0, keys: 1 } })
    t.ok(status.ok && status.value.bytes >= 5 && status.value.commits.transactions >= 3)
  })

  test('after close everything is Unavailable', async (t, { store }) => {
    await commit(store, put('a', '1'))
    const watch = new RecordedWatch(store, 1)
    await watch.reached(1)
    await store.close()
    await store.close()
    t.match(await watch.end(), { code: 'Unavailable' })
    const unavailable = { ok: false, failure: { code: 'Unavailable' } }
    t.match(await store.range(everything), unavailable)
    t.match(await store.commit({ guards: [], ops: [put('a', '2')] }), unavailable)
    t.match(await store.readIndex(), unavailable)
    t.match(await store.status(), unavailable)
    t.match(await store.compact(revision(1)), unavailable)
    t.match(await new RecordedWatch(store, 1).end(), { code: 'Unavailable' })
  })
}

/** The parts of the cache, one by one, under a clock that the test moves. */

import t from 'tap'
import { createDeadlines } from '../../../src/storage/cache/deadlines.ts'
import { CacheEvent } from '../../../src/storage/cache/event.ts'
import { createRevisionWaits } from '../../../src/storage/cache/revision-waits.ts'
import { Snapshots } from '../../../src/storage/cache/snapshots.ts'
import { ObjectTree } from '../../../src/storage/cache/tree.ts'
import { EventWindow } from '../../../src/storage/cache/window.ts'
import { decodeRecord, type StoredObject } from '../../../src/storage/record.ts'
import type { Clock } from '../../../store/clock.ts'
import { key, revision } from '../../../store/contract.ts'
import { newRecord, parseName, value, widgets } from './harness.ts'

interface ManualClock extends Clock {
  advance(ms: number): void
  readonly timers: number
}

function createManualClock(): ManualClock {
  let nowMs = 0
  const timers = new Set<{ readonly dueMs: number; readonly action: () => void }>()
  return {
    wallMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, action) {
      const timer = { dueMs: nowMs + delayMs, action }
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
    advance(ms) {
      const endMs = nowMs + ms
      for (;;) {
        const next = [...timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0]
        if (next === undefined) break
        timers.delete(next)
        nowMs = next.dueMs
        next.action()
      }
      nowMs = endMs
    },
    get timers() {
      return timers.size
    },
  }
}

function object(at: string, modRevision: number): StoredObject {
  const { record } = newRecord(parseName(at))
  const entry = { key: key(`${widgets.prefix}/${at}`), value: record, modRevision: revision(modRevision) }
  return value(decodeRecord(widgets.prefix, entry))
}

function added(at: string, version: number): CacheEvent {
  const created = object(at, version)
  return new CacheEvent(revision(version), created.key, created, undefined)
}

const roomy = { windowEventsMax: 100, windowBytesMax: 1_000_000, windowAgeMs: 1000 }
const revisions = (window: EventWindow, after: number) =>
  window.after(revision(after))?.map((event) => Number(event.revision))

t.test('a window answers for every revision since its start', async (t) => {
  const window = new EventWindow(roomy, revision(10))
  for (const version of [12, 12, 15]) window.push(added('a/x', version), 0)
  t.strictSame(revisions(window, 9), undefined)
  t.strictSame(revisions(window, 10), [12, 12, 15])
  t.strictSame(revisions(window, 11), [12, 12, 15])
  t.strictSame(revisions(window, 12), [15])
  t.strictSame(revisions(window, 15), [])
  t.strictSame(revisions(window, 99), [])
  window.reset(revision(20))
  t.strictSame([revisions(window, 19), revisions(window, 20), window.bytes], [undefined, [], 0])
})

t.test('a window is bounded by number, bytes and age', async (t) => {
  const few = new EventWindow({ ...roomy, windowEventsMax: 2 }, revision(0))
  for (const version of [1, 2, 3, 4]) few.push(added('a/x', version), 0)
  t.strictSame([few.start, revisions(few, 2), revisions(few, 1)], [2, [3, 4], undefined])

  const light = new EventWindow({ ...roomy, windowBytesMax: added('a/x', 1).bytes * 2 }, revision(0))
  for (const version of [1, 2, 3]) light.push(added('a/x', version), 0)
  t.strictSame([light.count, revisions(light, 1)], [2, [2, 3]])

  const young = new EventWindow(roomy, revision(0))
  young.push(added('a/x', 1), 0)
  young.push(added('a/x', 2), 600)
  young.trim(1000)
  t.strictSame([young.start, young.oldestMs, revisions(young, 1)], [1, 600, [2]])
})

t.test('a long life leaves no trail in a window', async (t) => {
  const window = new EventWindow({ ...roomy, windowEventsMax: 10 }, revision(0))
  for (let version = 1; version <= 5000; version++) window.push(added('a/x', version), 0)
  t.equal(window.count, 10)
  t.equal(window.start, 4990)
  t.strictSame(revisions(window, 4998), [4999, 5000])
})

t.test('a snapshot of a tree stays as it was', async (t) => {
  const tree = ObjectTree.of(['a/1', 'a/2', 'b/1'].map((at, index) => object(at, index + 1)))
  const snapshot = tree.snapshot()
  tree.delete(key(`${widgets.prefix}/a/1`))
  tree.set(object('a/3', 4))
  const whole = { start: key('a'), end: key('z') }
  t.strictSame([tree.size, snapshot.size, tree.count(whole), snapshot.count(whole)], [3, 3, 3, 3])
  t.strictSame(
    [...snapshot.objects(whole)].map(({ name, revision }) => `${name}@${revision}`),
    ['1@1', '2@2', '1@3'],
  )
  t.equal(tree.first?.name, '2')
})

t.test('snapshots go by number and by age', async (t) => {
  const clock = createManualClock()
  const snapshots = new Snapshots({ snapshotsMax: 2, snapshotAgeMs: 1000 }, createDeadlines(clock, 10))
  const tree = ObjectTree.of([])
  const kept = () => [1, 2, 3].filter((version) => snapshots.get(revision(version)) !== undefined)
  for (const version of [1, 2, 3]) snapshots.keep(revision(version), tree)
  t.strictSame(kept(), [2, 3])
  clock.advance(900)
  snapshots.keep(revision(2), tree)
  clock.advance(200)
  t.strictSame(kept(), [2], 'one that is used lives on')
  clock.advance(1000)
  t.strictSame(kept(), [])
  t.equal(clock.timers, 0)
})

t.test('many deadlines share one timer and fire in order, a little late', async (t) => {
  const clock = createManualClock()
  const deadlines = createDeadlines(clock, 100)
  const after = (delayMs: number, onDeadline: () => void) => deadlines.after(delayMs, { onDeadline })
  const fired: string[] = []
  for (const delayMs of [950, 20, 30, 210])
    after(delayMs, () => fired.push(`${delayMs} at ${clock.monotonicMs()}`))
  const cancelled = after(25, () => fired.push('cancelled'))
  cancelled.cancel()
  t.equal(clock.timers, 1)
  clock.advance(2000)
  t.strictSame(fired, ['20 at 100', '30 at 100', '210 at 300', '950 at 1000'])
  t.equal(clock.timers, 0)
  after(10, () => fired.push('closed'))
  deadlines.close()
  clock.advance(1000)
  t.equal(fired.length, 4)
})

t.test('reads wait for a revision, each as long as it may', async (t) => {
  const clock = createManualClock()
  const waits = createRevisionWaits(clock)
  const outcomes: string[] = []
  const wait = (version: number, waitMs: number) =>
    void waits.until(revision(version), waitMs).then((reached) => outcomes.push(`${version} ${reached}`))
  wait(5, 100)
  wait(7, 100)
  wait(9, 300)
  waits.when(revision(6), () => outcomes.push('6 seen'))
  waits.when(revision(6), () => outcomes.push('cancelled')).cancel()
  waits.advance(revision(5))
  await Promise.resolve()
  clock.advance(100)
  await Promise.resolve()
  waits.advance(revision(6))
  wait(11, 1000)
  waits.close()
  await Promise.resolve()
  t.strictSame(outcomes, ['5 true', '7 false', '6 seen', '9 false', '11 false'])
  t.equal(await waits.until(revision(1), 10), false, 'closed for good')
})

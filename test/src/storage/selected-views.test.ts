/**
 * Views found by what they select: every selector beside every change of an object, in a world small enough to try all of
 * it. The oracle asks each view.
 */

import t from 'tap'
import { CacheEvent } from '../../../src/storage/cache/event.ts'
import type { Selector } from '../../../src/storage/contract.ts'
import { createCounters } from '../../../src/storage/counters.ts'
import { decodeRecord, type StoredObject } from '../../../src/storage/record.ts'
import { SelectedViews } from '../../../src/storage/watch/selected-views.ts'
import { View } from '../../../src/storage/watch/view.ts'
import { key, revision } from '../../../store/contract.ts'
import { newRecord, representation, select, value, type WidgetInput, widgets } from './harness.ts'

const at = key(`${widgets.prefix}/a/one`)

function object(input: WidgetInput | undefined): StoredObject | undefined {
  if (input === undefined) return undefined
  const { record } = newRecord({ namespace: 'a', name: 'one' }, input)
  return value(decodeRecord(widgets.prefix, { key: at, value: record, modRevision: revision(1) }))
}

function event(from: WidgetInput | undefined, to: WidgetInput | undefined): CacheEvent {
  return new CacheEvent(revision(2), at, object(to), object(from))
}

function createView(id: string, selector: Selector) {
  const counters = createCounters()
  const limits = { backlogEventsMax: 1, backlogBytesMax: 1, sliceBytes: 1 }
  const requestFlush = () => undefined
  return {
    view: new View({ id, scope: {}, selector, representation, limits, counters, requestFlush }),
    counters,
  }
}

const states: readonly (WidgetInput | undefined)[] = [
  undefined,
  {},
  { color: 'red' },
  { color: 'blue', labels: { size: 'x' } },
  { labels: { app: 'web' } },
  { labels: { app: 'db' } },
  { labels: { app: '' } },
  { labels: { app: '5' } },
  { labels: { app: 'web', tier: 'front' }, color: 'red' },
  { labels: { app: 'db', tier: 'back' } },
]

const texts: readonly (readonly [labels: string, fields?: string])[] = [
  [''],
  ['app=web'],
  ['app='],
  ['app!=web'],
  ['app in (web,db)'],
  ['app in (web,db,5)'],
  ['app notin (web,db)'],
  ['app'],
  ['!app'],
  ['app>3'],
  ['app<9'],
  ['app=web,tier=front'],
  ['tier=front,app in (web,db)'],
  ['app=web,app!=web'],
  ['tier,!app'],
  ['constructor=x'],
  ['', 'spec.color=red'],
  ['', 'spec.color='],
  ['', 'spec.color!=red'],
  ['app=web', 'spec.color=red'],
  ['app', 'spec.color=blue'],
  ['', 'metadata.name=one'],
  ['', 'metadata.name=two'],
]

t.test('a view sees what its selector says of every change, and each change once', async (t) => {
  const views = new SelectedViews()
  const all = texts.map(([labels, fields]) => createView(`${labels} ${fields}`, select(labels, fields)))
  for (const { view } of all) views.add(view)
  for (const from of states) {
    for (const to of states) {
      if (from === undefined && to === undefined) continue
      const change = event(from, to)
      for (const { counters } of all) Object.assign(counters, { eventsJudged: 0, eventsFramed: 0 })
      views.onEvent(change)
      for (const { view, counters } of all) {
        const shown = view.frame(change) !== undefined
        const what = `${view.id}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`
        if (counters.eventsFramed !== (shown ? 1 : 0)) t.fail(`${what}: ${counters.eventsFramed}`)
        if (counters.eventsJudged > 1) t.fail(`${what}: looked at ${counters.eventsJudged} times`)
      }
    }
  }
  for (const { view } of all) views.remove(view)
  t.equal(views.isEmpty, true)
  for (const { counters } of all) counters.eventsJudged = 0
  for (const to of states.slice(1)) views.onEvent(event(undefined, to))
  t.strictSame(new Set(all.map(({ counters }) => counters.eventsJudged)), new Set([0]))
})

t.test('an event costs nothing for those who select other values', async (t) => {
  const change = event(
    { labels: { app: 'n7', 'managed-by': 'x' } },
    { labels: { app: 'n8', 'managed-by': 'x' } },
  )
  for (const [what, count, selectorOf] of [
    ['another value each', 5000, (n: number) => select(`app=n${n}`)],
    ['what all share, and a value of their own', 5000, (n: number) => select(`managed-by=x,app=n${n}`)],
    ['two values each', 5000, (n: number) => select(`app in (n${n},m${n})`)],
    ['another label each', 5000, (n: number) => select(`app-${n}=x`)],
    ['the presence of another label each', 5000, (n: number) => select(`app-${n}`)],
    ['another value of a field each', 5000, (n: number) => select('', `spec.color=c${n}`)],
  ] as const) {
    const views = new SelectedViews()
    const all = Array.from({ length: count }, (_, n) => createView(String(n), selectorOf(n)))
    for (const { view } of all) views.add(view)
    views.onEvent(change)
    const judged = all.filter(({ counters }) => counters.eventsJudged > 0).length
    // Those of the value before, those of the value now, and the one that came first, when nothing told it apart.
    t.ok(judged <= 3, `${what}: ${judged} of ${count} views looked`)
  }
})

/** Indexes by value: the same answers as looking at all, kept only for what is asked again, and only for a while. */

import t from 'tap'
import { createDeadlines } from '../../../src/storage/cache/deadlines.ts'
import { ObjectTree } from '../../../src/storage/cache/tree.ts'
import { ValueIndexes } from '../../../src/storage/cache/value-index.ts'
import { decodeRecord, type StoredObject } from '../../../src/storage/record.ts'
import { compileSelector } from '../../../src/storage/selector/selector.ts'
import { key, revision } from '../../../store/contract.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { createRandom } from '../../support/random.ts'
import { newRecord, parseName, select, value, type WidgetInput, widgets } from './harness.ts'

function object(at: string, version: number, input: WidgetInput): StoredObject {
  const { record } = newRecord(parseName(at), input)
  const entry = { key: key(`${widgets.prefix}/${at}`), value: record, modRevision: revision(version) }
  return value(decodeRecord(widgets.prefix, entry))
}

function setup(limits = {}) {
  const clock = createManualClock()
  const all = { indexesMax: 2, indexAgeMs: 1000, indexObjectsMin: 1, ...limits }
  return { clock, indexes: new ValueIndexes(all, createDeadlines(clock, 10)) }
}

const whole = { start: key('a'), end: key('z') }
const shown = (objects: Iterable<StoredObject>) =>
  [...objects].map(({ name, revision }) => `${name}@${revision}`)

t.test('candidates that match are all that match, in order, however objects change', (t) => {
  const selectors = [
    select('app=web'),
    select('app=db,tier'),
    select('app=web,id=7'),
    select('', 'spec.color=red'),
    select('app=web', 'spec.color=red'),
    select('id=3'),
    select('app in (web,db)'),
    select('app=nowhere'),
  ]
  let answered = 0
  for (let seed = 1; seed <= 10; seed++) {
    const random = createRandom(seed)
    const { indexes } = setup({ indexesMax: 1 + random.below(4) })
    const tree = ObjectTree.of([])
    for (let step = 1; step <= 400; step++) {
      const at = key(`${widgets.prefix}/a/${random.below(30)}`)
      const previous = tree.get(at)
      if (previous !== undefined && random.below(3) === 0) {
        tree.delete(at)
        indexes.onChange(previous, undefined)
      } else {
        const labels = {
          ...(random.below(4) === 0 ? {} : { app: random.pick(['web', 'db', '__proto__']) }),
          ...(random.below(2) === 0 ? {} : { tier: 'front' }),
          id: String(random.below(30)),
        }
        const input = { labels, color: random.pick(['red', 'blue', '']) }
        const next = object(at.slice(widgets.prefix.length + 1), step, input)
        tree.set(next)
        indexes.onChange(previous, next)
      }
      const selector = random.pick(selectors)
      const matches = compileSelector(selector) ?? (() => true)
      const found = indexes.candidates(selector, tree, tree.size)
      if (found === undefined) continue
      answered++
      const wanted = [...tree.objects(whole)].filter(matches)
      t.strictSame(shown([...found.objects(whole)].filter(matches)), shown(wanted), `seed ${seed}, ${step}`)
    }
  }
  t.ok(answered > 1000, `${answered} requests were answered from an index`)
  t.end()
})

const some = ['web', 'db', 'web'].map((app, i) => object(`a/${i}`, i + 1, { labels: { app, tier: 'x' } }))

t.test('an index is made for what is asked a second time, and only where it helps', (t) => {
  const { indexes } = setup({ indexObjectsMin: 3 })
  const tree = ObjectTree.of(some)
  const ask = (labels: string, among = 3) => indexes.candidates(select(labels), tree, among)
  t.equal(ask('app=db'), undefined, 'asked once')
  t.equal(indexes.count, 0)
  t.strictSame(shown(ask('app=web')?.objects(whole) ?? []), ['0@1', '2@3'], 'another value of the same label')
  t.equal(indexes.count, 1)
  t.equal(ask('app=web', 2), undefined, 'so few are all looked at')
  for (const other of ['app', '!app', 'app!=web', 'app in (web,db)']) {
    ask(other)
    t.equal(ask(other), undefined, `${other} is no value`)
  }
  ask('tier=x')
  t.equal(ask('tier=x'), undefined, 'a value that all have')
  t.end()
})

t.test('indexes go by number and by age, and are made anew for another state', (t) => {
  const { indexes, clock } = setup()
  const tree = ObjectTree.of(some)
  const askTwice = (label: string) => {
    indexes.candidates(select(`${label}=x`), tree, 3)
    indexes.candidates(select(`${label}=x`), tree, 3)
  }
  for (const label of ['app', 'tier', 'other']) askTwice(label)
  t.equal(indexes.count, 2)
  clock.advance(900)
  askTwice('other')
  clock.advance(200)
  t.equal(indexes.count, 1, 'one that is used lives on')
  indexes.reset()
  t.equal(indexes.count, 0)
  const another = ObjectTree.of([object('b/9', 9, { labels: { other: 'x' } }), ...some])
  t.strictSame(shown(indexes.candidates(select('other=x'), another, 4)?.objects(whole) ?? []), ['9@9'])
  clock.advance(2000)
  t.equal(indexes.count, 0)
  t.equal(clock.pending, 0)
  t.end()
})

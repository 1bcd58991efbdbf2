/**
 * What must hold for every history of applies and updates by several managers, and that each step does what a naive
 * model of ownership does. A failure prints its seed and step.
 */

import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { ownersOf, type Plain, type Playground, playground } from './harness.ts'
import { emptyOracle, type Facts, type Oracle, oracleApply, oracleUpdate } from './oracle.ts'

const managers = ['ann', 'bob', 'cid']

function randomFacts(random: Random): Facts {
  const facts = new Map<string, string>()
  const some = (): boolean => random.below(3) === 0
  for (const name of ['a', 'b', 'c']) if (some()) facts.set(`limits.${name}`, String(random.below(2)))
  for (const name of ['x', 'y', 'z']) if (some()) facts.set(`tags.${name}`, name)
  for (const name of ['p', 'q', 'r']) {
    if (!some()) continue
    facts.set(`items.${name}`, '')
    if (some()) facts.set(`items.${name}.image`, String(random.below(2)))
  }
  return facts
}

function bodyOf(facts: Facts): Plain {
  const spec: Record<string, JsonValue> = {}
  const limits: Plain = {}
  const items = new Map<string, Plain>()
  const tags: string[] = []
  for (const [name, value] of facts) {
    const [kind = '', part = '', image] = name.split('.')
    if (kind === 'limits') limits[part] = value
    if (kind === 'tags') tags.push(part)
    if (kind === 'items')
      items.set(part, {
        ...(items.get(part) ?? { name: part }),
        ...(image === undefined ? {} : { image: value }),
      })
  }
  if (Object.keys(limits).length > 0) spec['limits'] = limits
  if (items.size > 0) spec['items'] = [...items.values()]
  if (tags.length > 0) spec['tags'] = tags
  return Object.keys(spec).length > 0 ? { spec } : {}
}

function factsOf(object: ApiObject): Facts {
  const spec = (object['spec'] ?? {}) as {
    limits?: Plain
    tags?: string[]
    items?: { name: string; image?: string }[]
  }
  const facts = new Map<string, string>()
  for (const [name, value] of Object.entries(spec.limits ?? {})) facts.set(`limits.${name}`, String(value))
  for (const tag of spec.tags ?? []) facts.set(`tags.${tag}`, tag)
  for (const { name, image } of spec.items ?? []) {
    facts.set(`items.${name}`, '')
    if (image !== undefined) facts.set(`items.${name}.image`, image)
  }
  return facts
}

/** Owned paths as names of facts; the containers themselves and the names of items are not facts. */
function factNames(paths: readonly string[]): string[] {
  return paths
    .map((path) =>
      path
        .replace(/^\.spec\./, '')
        .replace(/\[="(.)"\]/, '.$1')
        .replace(/\[name="(.)"\]/, '.$1'),
    )
    .filter((name) => /^(limits|tags|items)\../.test(name) && !name.endsWith('.name'))
    .sort()
}

function describe(facts: Facts, owners: Iterable<readonly [string, Iterable<string>]>): string {
  const sortedOwners = [...owners]
    .map(([owner, names]) => `${owner}: ${[...names].sort().join(' ')}`)
    .filter((line) => !line.endsWith(': '))
    .sort()
  return [...[...facts].map(([name, value]) => `${name}=${value}`).sort(), ...sortedOwners].join('\n')
}

function describeWorld(world: Playground): string {
  if (world.live === undefined) return ''
  const owners = Object.entries(ownersOf(world.live)).map(
    ([owner, paths]) => [owner, factNames(paths)] as const,
  )
  return describe(factsOf(world.live), owners)
}

const describeOracle = (oracle: Oracle): string => describe(oracle.facts, oracle.owners)

function runHistory(seed: number, check: (world: Playground, oracle: Oracle, step: string) => void): void {
  const random = createRandom(seed)
  const world = playground()
  let oracle = emptyOracle
  world.update('creator', {})
  for (let step = 0; step < 12; step++) {
    const manager = random.pick(managers)
    const facts = randomFacts(random)
    const kind = random.below(4)
    if (kind === 0) {
      // An update changes the live object a little, as clients do.
      const next = new Map([...oracle.facts].filter(() => random.below(5) > 0))
      for (const [name, value] of facts) if (random.below(2) === 0) next.set(name, value)
      for (const name of next.keys()) {
        const item = /^(items\..)\.image$/.exec(name)?.[1]
        if (item !== undefined) next.set(item, '')
      }
      world.update(manager, bodyOf(next))
      oracle = oracleUpdate(oracle, manager, next)
    } else {
      const force = kind === 1
      const expected = oracleApply(oracle, manager, facts, force)
      const result = world.apply(manager, bodyOf(facts), { force })
      const causes = result.ok ? [] : (result.failure.details?.causes ?? [])
      const found = factNames(causes.map(({ field }) => field ?? ''))
      const wanted = [...expected.conflicts.values()].flat().sort()
      check(
        world,
        expected.oracle,
        `step ${step}: conflicts ${found.join() === wanted.join() ? 'equal' : `${found.join()} for ${wanted.join()}`}`,
      )
      oracle = expected.oracle
    }
    check(world, oracle, `step ${step}: ${kind === 0 ? 'update' : 'apply'} by ${manager}`)
  }
}

const seeds = Array.from({ length: 100 }, (_, index) => 1000 + index)

t.test('every history goes as the naive model says', (t) => {
  for (const seed of seeds) {
    let failed = false
    runHistory(seed, (world, oracle, step) => {
      if (failed || step.includes(' for ')) return
      if (describeWorld(world) === describeOracle(oracle)) return
      failed = true
      t.equal(describeWorld(world), describeOracle(oracle), `seed ${seed}, ${step}`)
    })
    if (failed) break
  }
  t.end()
})

t.test('conflicts are those of the naive model', (t) => {
  for (const seed of seeds) {
    let problem: string | undefined
    runHistory(seed, (_, __, step) => {
      if (step.includes(' for ')) problem ??= step
    })
    if (problem !== undefined) {
      t.fail(`seed ${seed}, ${problem}`)
      break
    }
  }
  t.end()
})

t.test('whatever happened before, applying twice is applying once', (t) => {
  for (const seed of seeds) {
    const random = createRandom(seed)
    runHistory(seed, (world) => {
      if (random.below(6) > 0) return
      const facts = bodyOf(randomFacts(random))
      if (!world.apply('eve', facts, { force: true }).ok) throw new Error('forced, and refused')
      const before = world.live
      const again = world.apply('eve', facts)
      if (!again.ok || again.value || world.live !== before)
        t.fail(`seed ${seed}: the second apply changed something`)
    })
  }
  t.end()
})

t.test('when every applier leaves, nothing that only appliers wrote is left', (t) => {
  for (const seed of seeds) {
    const random = createRandom(seed)
    const world = playground()
    for (let step = 0; step < 6; step++) {
      world.apply(random.pick(managers), bodyOf(randomFacts(random)), { force: random.below(2) === 0 })
    }
    for (const manager of managers) world.apply(manager, {})
    if (world.live !== undefined && factsOf(world.live).size > 0) {
      t.same([...factsOf(world.live)], [], `seed ${seed}`)
      break
    }
    if (world.live?.metadata.managedFields !== undefined) t.fail(`seed ${seed}: owners of nothing`)
  }
  t.end()
})

t.test('no fact is without an owner', (t) => {
  for (const seed of seeds) {
    runHistory(seed, (world) => {
      if (world.live === undefined) return
      const owned = new Set(Object.values(ownersOf(world.live)).flatMap(factNames))
      for (const name of factsOf(world.live).keys()) {
        if (!owned.has(name) && !name.startsWith('items.')) t.fail(`seed ${seed}: ${name} has no owner`)
      }
    })
  }
  t.end()
})

/** Two parts of one configuration that have nothing in common. */
function parted(random: Random): readonly [Facts, Facts] {
  const parts: readonly [Map<string, string>, Map<string, string>] = [new Map(), new Map()]
  const side = new Map<string, 0 | 1>()
  for (const [name, value] of randomFacts(random)) {
    // An item and what is in it go together.
    const place = name.split('.').slice(0, 2).join('.')
    const at = side.get(place) ?? (random.below(2) === 0 ? 0 : 1)
    side.set(place, at)
    parts[at].set(name, value)
  }
  return parts
}

t.test('who applies first does not matter to appliers of different fields', (t) => {
  for (const seed of seeds) {
    const random = createRandom(seed)
    const [one, other] = parted(random)
    const worlds = [
      ['ann', 'bob'],
      ['bob', 'ann'],
    ].map((order) => {
      const world = playground()
      world.update('creator', {})
      for (const manager of order) world.apply(manager, bodyOf(manager === 'ann' ? one : other))
      return describeWorld(world)
    })
    if (worlds[0] !== worlds[1]) {
      t.equal(worlds[0], worlds[1], `seed ${seed}`)
      break
    }
  }
  t.end()
})

t.test('applying two parts one after the other makes what applying the whole makes', (t) => {
  for (const seed of seeds) {
    const [one, other] = parted(createRandom(seed))
    const [inParts, whole] = [playground(), playground()]
    for (const world of [inParts, whole]) world.update('creator', {})
    inParts.apply('ann', bodyOf(one))
    inParts.apply('bob', bodyOf(other))
    whole.apply('ann', bodyOf(new Map([...one, ...other])))
    const facts = [inParts, whole].map(({ live }) => (live === undefined ? '' : describe(factsOf(live), [])))
    if (facts[0] !== facts[1]) {
      t.equal(facts[0], facts[1], `seed ${seed}`)
      break
    }
  }
  t.end()
})

t.test('what somebody else applies is never taken away by giving up', (t) => {
  for (const seed of seeds) {
    const random = createRandom(seed)
    const world = playground()
    world.update('creator', {})
    const kept = randomFacts(random)
    if (!world.apply('ann', bodyOf(kept)).ok) continue
    // Values that are shared are no conflict; others are refused, and change nothing.
    world.apply('bob', bodyOf(new Map([...kept, ...randomFacts(random)])))
    world.apply('bob', {})
    const live = world.live === undefined ? new Map() : factsOf(world.live)
    for (const [name, value] of kept) {
      if (live.get(name) !== value) t.fail(`seed ${seed}: ${name} is ${String(live.get(name))}, not ${value}`)
    }
  }
  t.end()
})

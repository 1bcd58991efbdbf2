/**
 * Every file of a data directory, flipped or cut at seeded places: opening either says what is damaged, or serves
 * exactly what was stored. The one thing that nobody can tell after an unclean stop is a log that ends early.
 */

import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { revision, type Store } from '../../../store/contract.ts'
import { openMember } from '../../../store/member/open.ts'
import { Chance, commit, del, ManualClock, put, show, temporaryFolder } from '../support.ts'

const seed = 20_241_130
const placesPerFile = 8
const clock = new ManualClock()

async function open(dataDir: string) {
  const opened = await openMember({ dataDir, clock, historyMs: 1e12 })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  return opened.value
}

async function fill(store: Store, chance: Chance, count: number): Promise<void> {
  const waiting: Promise<number>[] = []
  for (let i = 0; i < count; i++) {
    const name = `/registry/things/${chance.below(700)}`
    const op = chance.below(10) === 0 ? del(name) : put(name, chance.bytes(20 + chance.below(150)))
    waiting.push(commit(store, op))
    if (chance.below(20) === 0) await waiting.at(-1)
  }
  await Promise.all(waiting)
}

interface Truth {
  readonly revision: number
  /** The whole store at some revisions. */
  readonly at: ReadonlyMap<number, string>
}

async function truthOf(store: Store): Promise<Truth> {
  const index = await store.readIndex()
  if (!index.ok) throw new Error(index.failure.message)
  const at = new Map<number, string>()
  for (const part of [0.25, 0.5, 1]) {
    const revision = Math.floor(index.value * part)
    at.set(revision, await show(store, revision))
  }
  return { revision: index.value, at }
}

/** Opens a damaged copy: the name of what is damaged, `right`, `earlier` (a prefix of the history), or `wrong`. */
async function verdict(dataDir: string, truth: Truth, history: Store): Promise<string> {
  const opened = await openMember({ dataDir, clock, historyMs: 1e12 })
  if (!opened.ok) return opened.failure.code === 'Corrupt' ? opened.failure.where : 'wrong'
  const { store } = opened.value
  try {
    const index = await store.readIndex()
    const found = index.ok ? index.value : -1
    if (found > truth.revision || (await show(store)) !== (await show(history, revision(found))))
      return 'wrong'
    for (const [at, expected] of truth.at) {
      if (at <= found && (await show(store, at)) !== expected) return 'wrong'
    }
    return found === truth.revision ? 'right' : 'earlier'
  } finally {
    await store.close()
  }
}

function filesOf(folder: string, inside = ''): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((file) =>
    file.isDirectory() ? filesOf(folder, join(inside, file.name)) : [join(inside, file.name)],
  )
}

interface Damage {
  readonly file: string
  readonly what: 'flip' | 'truncate' | 'remove'
  readonly offset: number
}

function damagesOf(folder: string, chance: Chance): Damage[] {
  return filesOf(folder).flatMap((file) => {
    const size = statSync(join(folder, file)).size
    const removal: Damage = { file, what: 'remove', offset: 0 }
    if (size === 0) return [removal]
    const places = Array.from({ length: Math.min(placesPerFile, size) }, () => chance.below(size))
    // The last bytes matter most: half of the cuts and flips fall near the end.
    const near = places.map((place, i) => (i % 2 === 0 ? place : size - 1 - (place % Math.min(size, 100))))
    return [
      removal,
      ...near.map((offset): Damage => ({ file, what: 'flip', offset })),
      ...near.slice(0, placesPerFile / 2).map((offset): Damage => ({ file, what: 'truncate', offset })),
    ]
  })
}

function inflict(folder: string, { file, what, offset }: Damage, chance: Chance): void {
  const path = join(folder, file)
  if (what === 'remove') rmSync(path)
  else if (what === 'truncate') truncateSync(path, offset)
  else {
    const bytes = readFileSync(path)
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << chance.below(8))
    writeFileSync(path, bytes)
  }
}

for (const stop of ['clean', 'unclean'] as const) {
  t.test(`damage after ${stop === 'clean' ? 'a clean' : 'an unclean'} stop, seed ${seed}`, async (t) => {
    const chance = new Chance(seed)
    const dataDir = join(temporaryFolder(t), 'original')
    const first = await open(dataDir)
    await fill(first.store, chance, 2500)
    await first.close()
    const second = await open(dataDir)
    await second.store.compact(revision(300))
    await fill(second.store, chance, 1500)
    const truth = await truthOf(second.store)
    const copy = join(temporaryFolder(t), 'copy')
    if (stop === 'clean') await second.close()
    cpSync(dataDir, copy, { recursive: true })
    const history = stop === 'clean' ? await open(dataDir) : second
    t.teardown(() => history.close())

    const undamaged = join(temporaryFolder(t), 'undamaged')
    cpSync(copy, undamaged, { recursive: true })
    t.equal(await verdict(undamaged, truth, history.store), 'right', 'the copy itself is right')

    const counts = new Map<string, number>()
    for (const damage of damagesOf(copy, chance)) {
      const damaged = join(temporaryFolder(t), 'damaged')
      cpSync(copy, damaged, { recursive: true })
      inflict(damaged, damage, chance)
      const found = await verdict(damaged, truth, history.store)
      const early = stop === 'unclean' && /\.log$/.test(damage.file) && damage.what === 'truncate'
      const fine = found === 'right' || (found === 'earlier' ? early : found !== 'wrong')
      if (!fine) t.fail(`${JSON.stringify(damage)}: ${found}`)
      const kind = found === 'right' || found === 'earlier' ? found : 'named'
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      rmSync(damaged, { recursive: true })
      const harmless = /LOG|LOCK|LOG\.old/.test(damage.file)
      if (!harmless && damage.what === 'remove' && !/clean$/.test(damage.file)) {
        t.match(found, damage.file, `a missing ${damage.file} is named`)
      }
    }
    t.comment([...counts].map(([kind, count]) => `${kind}: ${count}`).join(', '))
    t.ok((counts.get('named') ?? 0) > 40, 'most damage is named')
  })
}

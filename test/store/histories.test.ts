/** Seeded histories, done to the oracle and to the real store (restarted now and then): they must agree in everything. */

import { rmSync } from 'node:fs'
import t from 'tap'
import { key, revision, type Store, type Transaction } from '../../store/contract.ts'
import { type Member, openMember } from '../../store/member/open.ts'
import { eventually } from '../support/eventually.ts'
import { Oracle } from './oracle.ts'
import {
  Chance,
  del,
  everything,
  guard,
  ManualClock,
  put,
  RecordedWatch,
  temporaryFolder,
} from './support.ts'

const seeds = [1, 2, 3, 4, 5, 6]
const steps = 250
const names = ['a', 'a/1', 'a/2', 'b', 'b/1', 'c\xff', 'd', '__proto__']

function randomTransaction(chance: Chance, revisionNow: number): Transaction {
  const chosen = new Set(Array.from({ length: 1 + chance.below(4) }, () => chance.pick(names)))
  const guards = chance.below(2) === 0 ? [] : [guard(chance.pick(names), chance.below(revisionNow + 1))]
  const ops = [...chosen].map((name) => {
    if (chance.below(4) === 0) return del(name)
    const ttlMs = chance.below(8) === 0 ? 1000 + chance.below(20) * 1000 : undefined
    return put(name, chance.bytes(chance.below(40)), ttlMs)
  })
  return { guards, ops }
}

async function current(store: Store): Promise<number> {
  const index = await store.readIndex()
  if (!index.ok) throw new Error(index.failure.message)
  return index.value
}

/** A random read: what it answers, as data to compare. */
async function randomRead(chance: Chance, revisionNow: number, stores: readonly Store[]): Promise<unknown[]> {
  const start = key(chance.pick(names))
  const request = {
    start,
    end: chance.below(2) === 0 ? everything.end : key(`${start}\xff`),
    keysOnly: chance.below(4) === 0,
    ...(chance.below(2) === 0 ? { limit: 1 + chance.below(4) } : {}),
    ...(chance.below(2) === 0 ? { revision: revision(chance.below(revisionNow + 2)) } : {}),
  }
  return Promise.all(stores.map((store) => store.range(request)))
}

async function historyOf(store: Store, from: number, to: number): Promise<string[]> {
  const watch = await new RecordedWatch(store, from, { previous: true }).reached(to)
  watch.watch.close()
  return watch.ended === undefined ? watch.events() : [watch.ended.code]
}

for (const seed of seeds) {
  t.test(`history of seed ${seed}`, async (t) => {
    const chance = new Chance(seed)
    const dataDir = temporaryFolder(t)
    const clock = new ManualClock()
    const oracle = new Oracle(clock)
    const open = async (): Promise<Member> => {
      const opened = await openMember({
        dataDir,
        clock,
        historyMs: 1e12,
        recentBytesMax: chance.pick([0, 300, 1e6]),
        log: { keptEntriesMax: chance.pick([0, 3, 100]), keptBytesMax: 1e6 },
      })
      if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
      return opened.value
    }
    let member = await open()
    for (let step = 0; step < steps; step++) {
      const now = await current(oracle)
      const where = `step ${step} at revision ${now}`
      const dice = chance.below(100)
      if (dice < 60) {
        const transaction = randomTransaction(chance, now)
        t.same(await member.store.commit(transaction), await oracle.commit(transaction), `${where}: commit`)
      } else if (dice < 85) {
        const [found, wanted] = await randomRead(chance, now, [member.store, oracle])
        t.same(found, wanted, `${where}: range`)
      } else if (dice < 92) {
        const from = chance.below(now + 1)
        const found = await historyOf(member.store, from, now)
        t.same(found, await historyOf(oracle, from, now), `${where}: history from ${from}`)
      } else if (dice < 94) {
        const at = chance.below(now + 2)
        t.same(await member.store.compact(revision(at)), await oracle.compact(at), `${where}: compact ${at}`)
      } else if (dice < 97) {
        // Both tick once a second from different starts: let both have their tick, then compare.
        clock.advance(1000 * (1 + chance.below(8)))
        await eventually('the same keys to expire', async () => {
          clock.advance(1000)
          return (await current(member.store)) === (await current(oracle))
        })
      } else {
        await member.close()
        member = await open()
      }
    }
    const now = await current(oracle)
    t.same(await member.store.range(everything), await oracle.range(everything), 'the end')
    t.equal(await current(member.store), now)
    await member.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
}

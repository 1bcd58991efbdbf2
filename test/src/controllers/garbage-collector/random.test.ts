/**
 * Random families, deleted one after the other in random ways: what is left is what a naive model says, after every
 * step. A failure prints its seed and step.
 */

import t from 'tap'
import { createRandom, type Random } from '../../../support/random.ts'
import { Cluster, type Policy } from './cluster.ts'

/** Name → names of its owners. Who has none from the start, or was let go by all, belongs to nobody and stays. */
type Family = Map<string, Set<string>>

function deleted(family: Family, name: string, policy: Policy): void {
  family.delete(name)
  if (policy === 'Orphan') for (const owners of family.values()) owners.delete(name)
  for (let again = true; again; ) {
    again = false
    for (const [one, owners] of family) {
      const left = [...owners].filter((owner) => family.has(owner))
      if (owners.size === 0 || left.length === owners.size) continue
      if (left.length === 0) family.delete(one)
      else family.set(one, new Set(left))
      again = true
    }
  }
}

const size = 14
const nameOf = (index: number): string => `n${String(index).padStart(2, '0')}`

async function found(cluster: Cluster, random: Random): Promise<Family> {
  const family: Family = new Map()
  for (let index = 0; index < size; index++) {
    const owners = new Set(
      Array.from({ length: Math.min(index, random.below(3)) }, () => nameOf(random.below(index))),
    )
    await cluster.create(
      nameOf(index),
      [...owners].map((to) => ({ to, blocks: random.below(2) === 0 })),
    )
    family.set(nameOf(index), owners)
  }
  return family
}

for (const seed of [1, 2, 3, 4]) {
  t.test(`seed ${seed}`, async (t) => {
    const random = createRandom(seed)
    const cluster = await Cluster.start(t)
    const family = await found(cluster, random)
    for (let step = 0; family.size > 0; step++) {
      const name = random.pick([...family.keys()])
      const policy = random.pick(['Background', 'Foreground', 'Orphan'] as const)
      await cluster.delete(name, policy)
      deleted(family, name, policy)
      const what = `step ${step}: ${name} goes, ${policy}`
      await cluster
        .becomes([...family.keys()].sort())
        .catch((error: unknown) => t.fail(`${what}: ${String(error)}`))
      await cluster.settled()
      t.same(await cluster.names(), [...family.keys()].sort(), what)
    }
  })
}

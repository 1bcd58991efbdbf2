/**
 * Field ownership as simply as it can be said, for objects of a small world: numbers under `spec.limits` (a granular
 * map), texts under `spec.tags` (a set) and images of `spec.items` (a list map). An object is a set of facts, a
 * manager owns names of facts. Slow, obvious, without sharing or sets of any clever kind.
 */

/** Name of a fact → its value: `limits.a` → `1`, `tags.x` → `x`, `items.p` → '', `items.p.image` → `1`. */
export type Facts = ReadonlyMap<string, string>

export interface Oracle {
  readonly facts: Facts
  /** `name operation` → names of facts. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>
}

export const emptyOracle: Oracle = { facts: new Map(), owners: new Map() }

/** Names of the facts that stand in the way, by owner; undefined = it was applied. */
type OracleConflicts = ReadonlyMap<string, readonly string[]>

function disown(
  owners: ReadonlyMap<string, ReadonlySet<string>>,
  isLost: (name: string) => boolean,
): Map<string, ReadonlySet<string>> {
  const left = new Map<string, ReadonlySet<string>>()
  for (const [owner, names] of owners) {
    const kept = new Set([...names].filter((name) => !isLost(name)))
    if (kept.size > 0) left.set(owner, kept)
  }
  return left
}

export function oracleUpdate(oracle: Oracle, manager: string, facts: Facts): Oracle {
  const changed = [...facts].filter(([name, value]) => oracle.facts.get(name) !== value).map(([name]) => name)
  const gone = [...oracle.facts.keys()].filter((name) => !facts.has(name))
  const owners = disown(oracle.owners, (name) => changed.includes(name) || gone.includes(name))
  const own = owners.get(`${manager} Update`) ?? new Set()
  if (changed.length > 0) owners.set(`${manager} Update`, new Set([...own, ...changed]))
  return { facts, owners }
}

export function oracleApply(
  oracle: Oracle,
  manager: string,
  body: Facts,
  force: boolean,
): { readonly oracle: Oracle; readonly conflicts: OracleConflicts } {
  const id = `${manager} Apply`
  const last = oracle.owners.get(id) ?? new Set<string>()
  const others = new Map([...oracle.owners].filter(([owner]) => owner !== id))
  const isOwned = (name: string): boolean =>
    body.has(name) || [...others.values()].some((names) => names.has(name))
  const merged = new Map([...oracle.facts, ...body])
  for (const name of oracle.facts.keys()) {
    if (last.has(name) && !isOwned(name)) merged.delete(name)
  }
  // An item that went takes along what is in it.
  for (const name of [...merged.keys()]) {
    const item = /^(items\.[^.]+)\.image$/.exec(name)?.[1]
    if (item !== undefined && !merged.has(item)) merged.delete(name)
  }
  const changed = new Set(
    [...merged].filter(([name, value]) => oracle.facts.get(name) !== value).map(([name]) => name),
  )
  const conflicts = new Map(
    [...others]
      .map(([owner, names]) => [owner, [...names].filter((name) => changed.has(name)).sort()] as const)
      .filter(([, names]) => names.length > 0),
  )
  if (conflicts.size > 0 && !force) return { oracle, conflicts }
  const owners = disown(others, (name) => changed.has(name) || !merged.has(name))
  if (body.size > 0) owners.set(id, new Set(body.keys()))
  return { oracle: { facts: merged, owners }, conflicts: new Map() }
}

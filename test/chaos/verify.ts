/**
 * The guarantees, checked over what clients recorded: nothing acknowledged is lost, nothing refused was done, histories
 * are linearizable, and every watcher saw every change once, in order. Pure.
 */

import { createHistory } from '../sim/history.ts'
import type { Item } from './client.ts'
import type { Record, Write } from './record.ts'
import type { Seen } from './watcher.ts'

export interface Evidence {
  readonly record: Record
  /** What each watcher saw, by node. */
  readonly watched: ReadonlyMap<string, readonly Seen[]>
  /** A consistent list after all clients had stopped; every watcher has seen its revision. */
  readonly final: FinalList
}

export interface FinalList {
  readonly askedMs: number
  readonly revision: number
  readonly items: readonly Item[]
}

export interface Verdicts {
  readonly violations: readonly string[]
  readonly operations: number
  /** Registers whose history was too hard for the bounded checker. */
  readonly undecided: number
  /** Changes that each watcher had to see. */
  readonly changes: number
}

export function verify(evidence: Evidence): Verdicts {
  const { record, watched, final } = evidence
  const changes = new Map<number, Item>()
  const violations = [...record.complaints]
  for (const [node, seen] of watched) violations.push(...watchViolations(node, seen, final.revision, changes))
  violations.push(...completeness(evidence, changes))
  violations.push(...finalViolations(final.items, changes))
  violations.push(...writeViolations(record.writes, changes, final))
  const { problem, operations, undecided } = linearizability(record, changes)
  if (problem !== undefined) violations.push(problem)
  return { violations, operations, undecided, changes: changes.size }
}

/** Ordered and unique; what each revision did is added to `changes`, and must be the same for all. */
function watchViolations(
  node: string,
  seen: readonly Seen[],
  until: number,
  changes: Map<number, Item>,
): readonly string[] {
  const violations: string[] = []
  let last = 0
  for (const one of seen) {
    const revision = one.type === 'list' ? one.revision : one.item.revision
    const isInOrder = one.type === 'list' ? revision >= last : revision > last
    if (!isInOrder) violations.push(`watch ${node}: revision ${revision} came after ${last}`)
    last = revision
    if (one.type === 'list' || revision > until) continue
    const { kind, item } = one
    if (kind !== 'ADDED' && kind !== 'MODIFIED') {
      violations.push(`watch ${node}: ${kind} of ${item.name} at ${revision}, and nobody did that`)
    }
    const known = changes.get(revision)
    if (known !== undefined && (known.name !== item.name || known.value !== item.value)) {
      violations.push(
        `watch ${node}: revision ${revision} is ${describe(item)}, others saw ${describe(known)}`,
      )
    }
    changes.set(revision, item)
  }
  return violations
}

/** Nothing was left out: what a list told at once need not come as events, but must be there. */
function completeness({ watched, final }: Evidence, changes: ReadonlyMap<number, Item>): readonly string[] {
  const all = [...changes.values()].sort((a, b) => a.revision - b.revision)
  return [...watched].flatMap(([node, seen]) => {
    const events = new Set(seen.flatMap((one) => (one.type === 'event' ? [one.item.revision] : [])))
    const spans = listedSpans(seen)
    const missed = all.filter(
      ({ revision }) =>
        revision <= final.revision &&
        !events.has(revision) &&
        !spans.some(({ after, until }) => revision > after && revision <= until),
    )
    return missed.map((item) => `watch ${node}: missed ${describe(item)} at ${item.revision}`)
  })
}

function listedSpans(seen: readonly Seen[]): readonly { readonly after: number; readonly until: number }[] {
  let last = 0
  return seen.flatMap((one) => {
    const after = last
    last = one.type === 'list' ? one.revision : one.item.revision
    return one.type === 'list' ? [{ after, until: one.revision }] : []
  })
}

/** The list at the end is what the changes add up to. */
function finalViolations(items: readonly Item[], changes: ReadonlyMap<number, Item>): readonly string[] {
  const folded = new Map<string, Item>()
  for (const item of [...changes.values()].sort((a, b) => a.revision - b.revision))
    folded.set(item.name, item)
  const listed = new Map(items.map((item) => [item.name, item]))
  const missing = [...folded.values()]
    .filter((item) => listed.get(item.name)?.revision !== item.revision)
    .map((item) => `final list: ${describe(item)} of revision ${item.revision} is not there`)
  const extra = items
    .filter(({ name }) => !folded.has(name))
    .map((item) => `final list: ${describe(item)} of revision ${item.revision} was never announced`)
  return [...missing, ...extra]
}

/** Acknowledged: at its revision for good. Refused: nowhere. No value twice. */
function writeViolations(
  writes: readonly Write[],
  changes: ReadonlyMap<number, Item>,
  final: FinalList,
): readonly string[] {
  const revisionOf = new Map<number, number>()
  const violations: string[] = []
  for (const { value, revision } of changes.values()) {
    const before = revisionOf.get(value)
    if (before !== undefined)
      violations.push(`value ${value} was written twice: at ${before} and ${revision}`)
    revisionOf.set(value, revision)
  }
  for (const { node, name, value, endMs, fate } of writes) {
    const at = revisionOf.get(value)
    const what = `${name}=${value} by ${node}`
    const isLater = endMs > final.askedMs && fate.type === 'done' && fate.revision > final.revision
    if (fate.type === 'done' && at !== fate.revision && !isLater) {
      violations.push(
        `acknowledged write lost: ${what} at ${fate.revision}${at === undefined ? '' : `, found at ${at}`}`,
      )
    }
    if (fate.type === 'guardFailed' && at !== undefined)
      violations.push(`refused by its guard, yet done: ${what} at ${at}`)
    if (fate.type === 'refused' && at !== undefined)
      violations.push(`refused (${fate.why}), yet done: ${what} at ${at}`)
  }
  return violations
}

/** A write of unknown fate that no change tells of never happened: reads that saw it would be violations. */
function linearizability(
  { writes, reads }: Record,
  changes: ReadonlyMap<number, Item>,
): { readonly problem: string | undefined; readonly operations: number; readonly undecided: number } {
  const seen = new Set([...changes.values()].map(({ value }) => value))
  const history = createHistory()
  for (const { name, value, guard, startMs, endMs, fate } of writes) {
    if (fate.type === 'refused' || (fate.type === 'unknown' && !seen.has(value))) continue
    const call = history.begin(name, { key: name, value, guard }, startMs)
    if (fate.type === 'done') history.end(call, { type: 'done', revision: fate.revision }, endMs)
    if (fate.type === 'guardFailed') history.end(call, { type: 'guardFailed', current: undefined }, endMs)
  }
  for (const { name, startMs, endMs, found } of reads) {
    const call = history.begin(name, undefined, startMs)
    history.end(call, { type: 'value', current: found }, endMs)
  }
  try {
    return { problem: undefined, ...history.check() }
  } catch (error) {
    return { problem: String(error), operations: writes.length + reads.length, undecided: 0 }
  }
}

function describe({ name, value }: Item): string {
  return `${name}=${value}`
}

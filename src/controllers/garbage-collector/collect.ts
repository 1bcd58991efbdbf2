/**
 * One look at one object: deletes what has no owner left, lets dependents go, ends foreground deletions.
 *
 *     live        every owner gone ──▶ deleted; some gone ──▶ references to them go
 *     foreground  dependents that block are deleted ──none left──▶ finalizer goes
 *     orphaning   references of all dependents go ──▶ finalizer goes
 *
 * Source: garbage collection as the Kubernetes API documents it.
 */

import type { Key } from '../../../store/contract.ts'
import type { User } from '../../pipeline/user.ts'
import type { Machinery, ResourceRoute } from '../../registry/machinery.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/metadata-validation.ts'
import type { GraphItem, OwnerGraph } from './graph.ts'
import { objectNameOfKey, prefixOfKey } from './item.ts'
import type { LiveItem, Owners } from './owners.ts'
import { judge, type Resolved } from './verdict.ts'
import {
  type CollectorWrites,
  deleteJudged,
  dropReferences,
  removeFinalizer,
  unblockOwners,
} from './writes.ts'

interface CollectParts {
  readonly machinery: Machinery
  readonly user: User
  readonly graph: OwnerGraph
  readonly owners: Owners
  /** The route of a stored resource, by its prefix; undefined = it is not served. */
  readonly routeOf: (prefix: string) => ResourceRoute | undefined
  /** Asks for a look at another object. */
  readonly look: (key: Key) => void
  /** Asks for another look at an object when other kinds are served. */
  readonly lookWhenServed: (key: Key) => void
}

/** References let go at once, of the dependents of one owner. */
const orphanConcurrency = 8

/** Returns what is in the way; undefined = there is nothing to do for now. */
export async function collect(key: Key, parts: CollectParts): Promise<string | undefined> {
  const item = parts.graph.get(key)
  if (item === undefined || item.phase === 'ending') return undefined
  const route = parts.routeOf(prefixOfKey(key) ?? '')
  if (route === undefined) return 'its resource is not served'
  const writes = writesTo(item, route, parts)
  switch (item.phase) {
    case 'live':
      return parts.graph.isSettled(item) ? undefined : collectLive(item, writes, parts)
    case 'foreground':
      return endForeground(item, writes, parts)
    case 'orphaning':
      return orphan(item, writes, parts)
  }
}

function writesTo(
  { key, uid }: GraphItem,
  route: ResourceRoute,
  { machinery, user }: CollectParts,
): CollectorWrites {
  return { route, machinery, user, uid, name: objectNameOfKey(key) }
}

async function collectLive(
  known: GraphItem,
  writes: CollectorWrites,
  parts: CollectParts,
): Promise<string | undefined> {
  const { graph, owners } = parts
  const { key } = known
  graph.link(key)
  const read = await owners.read(key)
  if (!read.ok) return read.failure
  const live = read.value
  // It is another one, or on its way out: that is heard of too.
  if (live === undefined || live.item.uid !== known.uid || live.item.phase !== 'live') return undefined
  const resolved = await resolveAll(key, live, parts)
  if (typeof resolved === 'string') return resolved
  const { metadata } = live.object
  const verdict = judge(live.item, metadata.finalizers ?? [], resolved, graph.dependentsOf(known))
  switch (verdict.type) {
    case 'keep':
      return undefined
    case 'loosen':
      return dropReferences(writes, verdict.uids)
    case 'delete': {
      // The change is heard of, and the object looked at again.
      if (verdict.unblock) return unblockOwners(writes)
      return deleteJudged(writes, live.resourceVersion, verdict.propagation)
    }
  }
}

/** What is behind each reference; in words when one cannot be told. */
async function resolveAll(
  key: Key,
  { item }: LiveItem,
  { graph, owners, lookWhenServed }: CollectParts,
): Promise<readonly Resolved[] | string> {
  const resolved: Resolved[] = []
  for (const reference of item.references) {
    const target = owners.targetOf(key, reference)
    if (target.type === 'unknown') {
      lookWhenServed(key)
      return target.why
    }
    if (target.type === 'nowhere') {
      resolved.push({ reference, owner: 'absent' })
      continue
    }
    const { removals } = graph
    const found = await owners.read(target.key)
    if (!found.ok) return found.failure
    const owner = found.value?.item
    if (owner === undefined || owner.uid !== reference.uid) {
      resolved.push({ reference, owner: 'absent' })
      continue
    }
    graph.confirm(target.key, owner.uid, removals)
    resolved.push({ reference, owner: owner.phase === 'foreground' ? 'waiting' : 'present' })
  }
  return resolved
}

async function endForeground(
  owner: GraphItem,
  writes: CollectorWrites,
  { graph, look }: CollectParts,
): Promise<string | undefined> {
  const blocking = graph
    .dependentsOf(owner)
    .filter(({ references }) => references.some(({ uid, blocks }) => blocks && uid === owner.uid))
  if (blocking.length === 0) return removeFinalizer(writes, foregroundFinalizer)
  for (const dependent of blocking) if (dependent.phase === 'live') look(dependent.key)
  return undefined
}

async function orphan(
  owner: GraphItem,
  writes: CollectorWrites,
  parts: CollectParts,
): Promise<string | undefined> {
  const queue = parts.graph.dependentsOf(owner).values()
  let problem: string | undefined
  const worker = async (): Promise<void> => {
    for (const dependent of queue) {
      const route = parts.routeOf(prefixOfKey(dependent.key) ?? '')
      const outcome =
        route === undefined
          ? `the resource of ${dependent.key} is not served`
          : await dropReferences(writesTo(dependent, route, parts), [owner.uid])
      problem ??= outcome
    }
  }
  await Promise.all(Array.from({ length: orphanConcurrency }, worker))
  return problem ?? removeFinalizer(writes, orphanFinalizer)
}

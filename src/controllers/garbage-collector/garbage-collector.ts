/**
 * Deletes what has lost its owners, and carries out foreground and orphaning deletions.
 *
 *     store ──every change──▶ what may concern it (a search of bytes) ──▶ graph ──▶ queue ──▶ collect
 *
 * It follows the store itself, all resources in one watch: nothing is cached for it but who owns whom, and a write of
 * an object without owners costs a search of its bytes.
 *
 * Source: specification, "States and transitions"; garbage collection as the Kubernetes API documents it.
 */

import { type Key, key, ok, type Store, type StoreEvent } from '../../../store/contract.ts'
import { serviceAccountGroups, serviceAccountUserName } from '../../authn/service-account-name.ts'
import type { User } from '../../pipeline/user.ts'
import type { Machinery } from '../../registry/machinery.ts'
import { createFeed } from '../../storage/cache/feed.ts'
import type { Controller, ControllerFactory, Routes } from '../controller.ts'
import { createWorkQueue } from '../work-queue.ts'
import { collect } from './collect.ts'
import { OwnerGraph } from './graph.ts'
import { itemOf, mayConcern } from './item.ts'
import { createOwners } from './owners.ts'

const account = 'generic-garbage-collector'
/** Objects looked at at once. */
const concurrency = 16
const retryMinMs = 5
/** Until then somebody else was just quicker. */
const failuresBeforeWarning = 5
const feedLimits = { rangeEntriesMax: 500, retryMinMs: 50, retryMaxMs: 5000 }
/** All keys: objects have ASCII groups. */
const everywhere = { start: key('\0'), end: key('\xff') }

export function garbageCollectorOf(store: Store): ControllerFactory {
  return (machinery, routes) => createGarbageCollector(store, machinery, routes)
}

function createGarbageCollector(store: Store, machinery: Machinery, routes: Routes): Controller {
  const { clock, log, names, types, identifiers } = machinery
  const owners = createOwners(types, store)
  const graph = new OwnerGraph(owners.keyOf)
  const user: User = {
    name: serviceAccountUserName({ namespace: names.systemNamespace, name: account }),
    uid: '',
    groups: [...serviceAccountGroups(names.systemNamespace), 'system:authenticated'],
    extra: new Map(),
  }
  const queue = createWorkQueue<Key>({
    clock,
    log,
    name: 'garbage-collector-controller',
    concurrency,
    retryMinMs,
    failuresBeforeWarning,
    work: (at) =>
      collect(at, { machinery, user, graph, owners, routeOf: routes.stored, look, lookWhenServed }),
  })
  const look = (at: Key): void => queue.add(at)
  /** With owners of kinds that nobody knows. */
  const waiting = new Set<Key>()
  const lookWhenServed = (at: Key): void => void waiting.add(at)
  const lookAtAll = (keys: readonly Key[]): void => keys.forEach(look)

  function take(event: StoreEvent): void {
    if (event.type === 'delete') lookAtAll(graph.remove(event.key))
    else {
      const entry = { key: event.key, value: event.value, modRevision: event.revision }
      lookAtAll(graph.put(event.key, mayConcern(entry) ? itemOf(entry) : undefined))
    }
  }

  const feed = createFeed(
    { store, range: everywhere, clock, random: identifiers.fraction, limits: feedLimits, keep: mayConcern },
    {
      onState(entries) {
        const there = new Set(entries.map((entry) => entry.key))
        const dirty = new Set<Key>()
        for (const known of [...graph.keys()]) {
          if (!there.has(known)) for (const one of graph.remove(known)) dirty.add(one)
        }
        // What was known to be present may have gone unseen.
        graph.forgetPresent()
        for (const entry of entries) graph.put(entry.key, itemOf(entry))
        for (const known of graph.keys()) dirty.add(known)
        lookAtAll([...dirty])
        return ok(undefined)
      },
      onBatch({ events }) {
        for (const event of events) take(event)
        return ok(undefined)
      },
      onLost() {},
      onFailure: ({ code }) => log.warn('the garbage collector cannot follow the store', { code }),
    },
  )

  let forgetTypes = () => {}

  return {
    start() {
      forgetTypes = types.onChange(() => {
        lookAtAll([...waiting])
        waiting.clear()
      })
      feed.start()
    },
    close() {
      forgetTypes()
      feed.close()
      queue.close()
    },
  }
}

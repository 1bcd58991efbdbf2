/** `/metrics`: what this process counts, in the Prometheus text format. */

import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'
import type { Store } from '../../store/contract.ts'
import type { Calls } from '../pipeline/calls.ts'
import type { ResourceCounters } from '../storage/counters.ts'
import type { ObservableStorage } from '../storage/storage.ts'
import { header, labelText, sample } from './exposition.ts'
import type { Log } from './log.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { deprecatedMetrics, withStability } from './stability.ts'
import { type KindLabels, type KindOf, watchText } from './watch-metrics.ts'

interface Metrics {
  start(): void
  text(): Promise<string>
  close(): void
}

interface MetricsParts {
  readonly store: Store
  readonly storage: ObservableStorage
  readonly calls: Calls
  readonly requests: RequestMetrics
  readonly log: Log
  /** Deprecated long enough that it is not shown. */
  readonly isHidden: (name: string) => boolean
  readonly kindOf: KindOf
  /** Text of what other parts count. */
  readonly more?: readonly (() => string)[]
}

export function createMetrics({
  store,
  storage,
  calls,
  requests,
  log,
  isHidden,
  kindOf,
  more = [],
}: MetricsParts): Metrics {
  let process: PromClient.Registry | undefined
  return {
    start() {
      for (const metric of deprecatedMetrics())
        if (!isHidden(metric)) log.warn('a deprecated metric is shown', { metric })
    },
    async text() {
      process ??= registryOfProcess()
      const ofProcess = await process.metrics()
      return (
        requests.text() +
        more.map((text) => text()).join('') +
        inFlightText(calls) +
        storageText(storage.counters(), kindOf) +
        watchText(storage.counters(), kindOf) +
        (await storeText(store, isHidden)) +
        withStability(ofProcess)
      )
    },
    close: () => process?.clear(),
  }
}

const require = createRequire(import.meta.url)

/**
 * What Node says of its process. The library, ninety modules, is loaded when somebody asks for the first time: until
 * then nobody pays for a timer each ten milliseconds and an observer of collections, whose figures begin here.
 */
function registryOfProcess(): PromClient.Registry {
  const { collectDefaultMetrics, Registry }: typeof PromClient = require('prom-client')
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
}

function inFlightText(calls: Calls): string {
  const name = 'apiserver_current_inflight_requests'
  return (
    header(name, 'Requests now, by kind, watches excepted.', 'gauge') +
    sample(name, labelText({ request_kind: 'mutating' }), calls.writes) +
    sample(name, labelText({ request_kind: 'readOnly' }), calls.requests - calls.watches - calls.writes)
  )
}

export function handshakeText(errors: number): string {
  const name = 'apiserver_tls_handshake_errors_total'
  return header(name, 'Connections whose TLS handshake failed.', 'counter') + sample(name, '', errors)
}

interface ResourceMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly value: (counters: Readonly<ResourceCounters>) => number
}

const resourceMetrics: readonly ResourceMetric[] = [
  {
    name: 'apiserver_storage_objects',
    help: 'Objects now.',
    type: 'gauge',
    value: ({ objects }) => objects,
  },
  {
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Events that the cache took from the store.',
    type: 'counter',
    value: ({ events }) => events,
  },
  {
    name: 'apiserver_watch_cache_resource_version',
    help: 'Revision that the cache has reached.',
    type: 'gauge',
    value: ({ revision }) => revision,
  },
  {
    name: 'apiserver_terminated_watchers_total',
    help: 'Watchers closed because they were too slow.',
    type: 'counter',
    value: ({ watchersDropped }) => watchersDropped,
  },
  {
    name: 'apiserver_watchers',
    help: 'Watchers now.',
    type: 'gauge',
    value: ({ watchers }) => watchers,
  },
]

function storageText(resources: ReadonlyMap<string, Readonly<ResourceCounters>>, kindOf: KindOf): string {
  let text = ''
  for (const { name, help, type, value } of resourceMetrics) {
    text += header(name, help, type)
    for (const [prefix, counters] of resources) {
      text += sample(name, labelText({ resource: resourceName(prefix, kindOf(prefix)) }), value(counters))
    }
  }
  return text
}

/** `pods`, `roles.rbac.authorization.k8s.io`; what is kept but not served has the name of its place in the store. */
function resourceName(prefix: string, kind: KindLabels | undefined): string {
  if (kind === undefined) return prefix
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}

/** There is one, and it has no address. */
const storeName = 'store'

/** Nothing while the store does not answer: the health checks say so. */
async function storeText(store: Store, isHidden: MetricsParts['isHidden']): Promise<string> {
  const status = await store.status()
  if (!status.ok) return ''
  const { revision, oldest, keys, bytes, commits } = status.value
  const gauge = (name: string, help: string, value: number) =>
    header(name, help, 'gauge') + sample(name, '', value)
  const sizeOf = (name: string, labels: Readonly<Record<string, string>>) =>
    isHidden(name)
      ? ''
      : header(name, 'Bytes that the store takes.', 'gauge') + sample(name, labelText(labels), bytes)
  const commit = 'store_commit_duration_seconds'
  const buckets = commits.buckets
    .map(([upper, count]) => sample(`${commit}_bucket`, labelText({ le: String(upper) }), count))
    .join('')
  return (
    gauge('store_revision', 'Last applied revision.', revision) +
    gauge('store_oldest_revision', 'Oldest revision that can be read.', oldest) +
    gauge('store_keys', 'Live keys.', keys) +
    gauge('store_size_bytes', 'Bytes of keys and values kept, history included.', bytes) +
    sizeOf('apiserver_storage_size_bytes', { storage_cluster_id: storeName }) +
    sizeOf('apiserver_storage_db_total_size_in_bytes', { endpoint: storeName }) +
    header('store_transactions_total', 'Transactions committed.', 'counter') +
    sample('store_transactions_total', '', commits.transactions) +
    header(commit, 'Time to make a batch of transactions durable.', 'histogram') +
    buckets +
    sample(`${commit}_bucket`, labelText({ le: '+Inf' }), commits.batches) +
    sample(`${commit}_sum`, '', commits.sumSeconds) +
    sample(`${commit}_count`, '', commits.batches)
  )
}

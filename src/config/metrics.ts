/** What the server counts, from all of its parts, as one text. */

import { AuditMetrics } from '../audit/metrics.ts'
import type { AccessMetrics } from '../observe/access-metrics.ts'
import { buildText } from '../observe/build-metrics.ts'
import { featureGateText } from '../observe/feature-metrics.ts'
import { type HealthMetrics, splitIndicators } from '../observe/health-metrics.ts'
import { createMetrics, handshakeText } from '../observe/metrics.ts'
import { registeredText } from '../observe/registered.ts'
import type { RequestMetrics } from '../observe/request-metrics.ts'
import { isHiddenIn } from '../observe/stability.ts'
import type { Calls } from '../pipeline/calls.ts'
import type { ServerOptions } from '../server.ts'
import type { ObservableStorage } from '../storage/storage.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { versionDocument } from './version.ts'

interface MetricsParts {
  readonly options: ServerOptions
  readonly storage: ObservableStorage
  readonly types: TypeRegistry
  readonly calls: Calls
  readonly requests: RequestMetrics
  readonly access: AccessMetrics
  readonly health: HealthMetrics
  /** Of parts that count for themselves. */
  readonly more: readonly (() => string)[]
}

interface ServerMetrics {
  start(): void
  close(): void
  /** Of this process. */
  text(): Promise<string>
  /** Of all processes, as `/metrics` and `/metrics/slis` show it. */
  shown(): Promise<ReturnType<typeof splitIndicators>>
}

export function createServerMetrics(parts: MetricsParts): ServerMetrics {
  const { options, types, access, health, more } = parts
  const { names, log, store, build } = options
  const isHidden = (name: string): boolean =>
    options.showHiddenMetrics !== true && isHiddenIn(Number(build.minor), name)
  const fixedText = featureGateText(names, options.featureGates) + buildText(names, versionDocument(build))
  const metrics = createMetrics({
    store,
    storage: parts.storage,
    calls: parts.calls,
    requests: parts.requests,
    log,
    isHidden,
    kindOf: types.stored,
    more: [
      () => fixedText,
      health.text,
      () => handshakeText(options.handshakeErrors?.() ?? 0),
      access.text,
      (options.audit?.metrics ?? new AuditMetrics()).text,
      ...more,
      ...(options.external === undefined ? [] : [options.external.metricsText]),
    ],
  })
  return {
    start: () => metrics.start(),
    close: () => metrics.close(),
    text: metrics.text,
    async shown() {
      const text = await (options.collectMetrics ?? metrics.text)()
      const split = splitIndicators(names, text)
      return { ...split, metrics: split.metrics + registeredText(text, isHidden) }
    },
  }
}

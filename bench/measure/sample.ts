/**
 * What a run of a scenario yields, and how several runs become one figure.
 */

import type { RecordableHistogram } from 'node:perf_hooks'
import { createLatencyHistogram } from '../client/load.ts'
import { countInstructions } from './instructions.ts'
import type { ProcessTree } from './processes.ts'

/** Closed set of figures; the unit is last in the name. */
export type Metric =
  | 'operationsPerSecond'
  | 'serverCpuUs'
  | 'serverInstructions'
  | 'clientCpuUs'
  | 'p50Us'
  | 'p99Us'
  | 'p999Us'
  | 'megabytesPerSecond'
  | 'serverMiB'
  | 'serverRssMiB'
  | 'emptyMiB'
  | 'eachKiB'
  | 'readyMs'

export type Metrics = { readonly [M in Metric]?: number }

/** One run. */
export interface Sample {
  readonly metrics: Metrics
  /** Microseconds. */
  readonly latency: RecordableHistogram | undefined
  readonly faults: readonly string[]
}

/** Several runs: the median of each metric, and one distribution of all latencies. */
export interface Summary {
  readonly metrics: Metrics
  readonly runs: readonly Metrics[]
  /** Points of the cumulative distribution: (percentile 0–100, microseconds), rising. */
  readonly latencyCurve: readonly (readonly [percentile: number, us: number])[]
  readonly faults: readonly string[]
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const curvePercentiles = [
  0.1, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 92, 94, 95, 96, 97, 98,
  99, 99.5, 99.9, 99.99, 100,
]

export function summarize(samples: readonly Sample[]): Summary {
  const runs = samples.map((sample) => sample.metrics)
  const names = new Set(runs.flatMap((metrics) => Object.keys(metrics))) as ReadonlySet<Metric> // keys of Metrics
  const metrics: { [M in Metric]?: number } = {}
  for (const name of names) {
    metrics[name] = median(runs.map((run) => run[name]).filter((value) => value !== undefined))
  }
  const all = createLatencyHistogram()
  for (const { latency } of samples) if (latency !== undefined) all.add(latency)
  return {
    metrics,
    runs,
    latencyCurve: all.count === 0 ? [] : curvePercentiles.map((p) => [p, all.percentile(p)] as const),
    faults: samples.flatMap((sample) => sample.faults),
  }
}

/** p50, p99 and p99.9; none when nothing was recorded. */
export function quantiles(latency: RecordableHistogram): Metrics {
  if (latency.count === 0) return {}
  return { p50Us: latency.percentile(50), p99Us: latency.percentile(99), p999Us: latency.percentile(99.9) }
}

/** What a stretch of time cost. */
interface Window {
  readonly seconds: number
  /** Absent when the server's processes are not known (another machine's, say). */
  readonly serverCpuMs: number | undefined
  /** In user mode; absent when they were not asked for. */
  readonly serverInstructions: number | undefined
  readonly clientCpuMs: number
}

/** Measures from when it resolves until `end` is called. */
export async function beginWindow(
  server: ProcessTree | undefined,
  instructions: boolean,
): Promise<{ end(): Promise<Window> }> {
  const counter = instructions && server !== undefined ? await countInstructions(server.pids()) : undefined
  const serverBefore = server?.cpuMs()
  const clientBefore = process.cpuUsage()
  const begunMs = performance.now()
  return {
    async end() {
      const seconds = (performance.now() - begunMs) / 1000
      const client = process.cpuUsage(clientBefore)
      const serverCpuMs =
        server === undefined || serverBefore === undefined ? undefined : server.cpuMs() - serverBefore
      return {
        seconds,
        serverCpuMs,
        serverInstructions: await counter?.stop(),
        clientCpuMs: (client.user + client.system) / 1000,
      }
    },
  }
}

/** Rates and costs of `operations` done within a window. */
export function costs(window: Window, operations: number): Metrics {
  if (operations === 0) return { operationsPerSecond: 0 }
  const { serverInstructions } = window
  return {
    operationsPerSecond: operations / window.seconds,
    ...(window.serverCpuMs === undefined ? {} : { serverCpuUs: (window.serverCpuMs * 1000) / operations }),
    ...(serverInstructions === undefined ? {} : { serverInstructions: serverInstructions / operations }),
    clientCpuUs: (window.clientCpuMs * 1000) / operations,
  }
}

const mebibyte = 1_048_576

export function memoryMetrics(server: ProcessTree | undefined): Metrics {
  if (server === undefined) return {}
  const { pssBytes, rssBytes } = server.memory()
  return { serverMiB: pssBytes / mebibyte, serverRssMiB: rssBytes / mebibyte }
}

/** Resolves after a stretch of time: a measured window is one, it waits for nothing else. */
export function elapse(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs)
  })
}

/**
 * The audit log, put together from what flags say: of each kind of sink what wraps it, and who is told of failures.
 *
 *     log      truncate ▶ wait for company, or forgive ▶ lines
 *     webhook  truncate ▶ wait for company, or forgive ▶ lists over HTTPS
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import { throttledWarning } from '../observe/throttled.ts'
import { openEndpoint } from '../outside/kubeconfig.ts'
import type { Outside } from '../outside/outside.ts'
import { createBufferedSink } from './buffered.ts'
import { createLineWriter } from './lines.ts'
import { createLogSink, type LineOut } from './log-sink.ts'
import { AuditMetrics } from './metrics.ts'
import type { AuditMode, AuditOptions, AuditSinkOptions } from './options.ts'
import type { AuditPolicy } from './policy.ts'
import { type AuditFailures, type AuditSink, createForgivingSink, createUnionSink } from './sink.ts'
import { createTruncatingSink } from './truncate.ts'
import { createWebhookSink } from './webhook-sink.ts'

/** Ready to take entries. */
export interface AuditLog {
  readonly policy: AuditPolicy
  readonly sink: AuditSink
  readonly metrics: AuditMetrics
}

interface AuditLogParts {
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly outside: () => Promise<Outside>
  /** 0 ≤ x < 1. */
  readonly fraction: () => number
  /** Where lines go; asked for where there are lines to write. */
  readonly lines: () => LineOut
}

/** Fails with a sentence that names flag and file. */
export async function openAuditLog(
  options: AuditOptions,
  parts: AuditLogParts,
): Promise<Result<AuditLog, string>> {
  const metrics = new AuditMetrics()
  const warn = throttledWarning(parts.log, parts.clock)
  const failed: AuditFailures = (plugin, why, events) => {
    metrics.failed(plugin, events.length)
    warn('audit events were not stored', { plugin, reason: why, events: events.length })
  }
  const wrap = wrapper(parts, failed)
  const sinks: AuditSink[] = []
  if (options.webhook !== undefined) {
    const { webhook } = options
    const endpoint = await openEndpoint(webhook.configFile, await parts.outside(), parts.clock)
    if (!endpoint.ok) return fail(`--audit-webhook-config-file ${endpoint.failure}`)
    const given = { ...parts, endpoint: endpoint.value, firstDelayMs: webhook.firstDelayMs, failed }
    sinks.push(wrap(createWebhookSink(given), webhook))
  }
  if (options.log !== undefined) {
    const { format } = options.log
    const sink = createLogSink(parts.lines(), createLineWriter(format, parts.names), failed)
    sinks.unshift(wrap(sink, options.log))
  }
  const [only] = sinks
  const sink = sinks.length === 1 && only !== undefined ? only : createUnionSink(sinks)
  return ok({ policy: options.policy, sink, metrics })
}

function wrapper({ clock, names }: AuditLogParts, failed: AuditFailures) {
  const line = createLineWriter('json', names)
  const truncatedKey = names.expand('audit.{groups}/truncated')
  return (sink: AuditSink, { mode, batch, truncate }: AuditSinkOptions): AuditSink => {
    const paced = pace(sink, mode, { options: batch, clock, failed })
    return truncate === undefined
      ? paced
      : createTruncatingSink(paced, { options: truncate, line, truncatedKey, failed })
  }
}

function pace(sink: AuditSink, mode: AuditMode, parts: Parameters<typeof createBufferedSink>[1]): AuditSink {
  switch (mode) {
    case 'batch':
      return createBufferedSink(sink, parts)
    case 'blocking':
      return createForgivingSink(sink)
    case 'blocking-strict':
      return sink
  }
}

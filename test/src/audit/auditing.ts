/** A server that writes down what it is asked, for tests of the audit log. */

import { type AuditEvent, eventMembers } from '../../../src/audit/event.ts'
import { AuditMetrics } from '../../../src/audit/metrics.ts'
import { parseAuditPolicy } from '../../../src/audit/policy-file.ts'
import type { AuditSink } from '../../../src/audit/sink.ts'
import { createNames } from '../../../src/names/names.ts'
import type { ServerOptions } from '../../../src/server.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'

interface AuditedServer extends InProcessServer {
  readonly metrics: AuditMetrics
  /** The entries of a request, by its Audit-Id. */
  of(auditId: string): readonly Entry[]
  /** From now on entries are (not) stored. */
  stores(yes: boolean): void
}

/** As it is written, but for times. */
export type Entry = Readonly<Record<string, unknown>>

/** @param rules YAML, a list */
export async function startAudited(
  rules: string,
  options: Partial<ServerOptions> = {},
): Promise<AuditedServer> {
  const text = `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: ${rules}`
  const policy = parseAuditPolicy(text, createNames('kubernetes'))
  if (!policy.ok) throw new Error(policy.failure)
  const metrics = new AuditMetrics()
  const entries: AuditEvent[] = []
  let stored = true
  const sink: AuditSink = {
    process(events) {
      entries.push(...events)
      return stored
    },
    async close() {},
  }
  const server = await startInProcess({
    options: { ...options, audit: { policy: policy.value, sink, metrics } },
  })
  return {
    ...server,
    metrics,
    of: (auditId) => entries.filter(({ facts }) => facts.auditId === auditId).map(shown),
    stores(yes) {
      stored = yes
    },
  }
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function shown(event: AuditEvent): Entry {
  const value: unknown = JSON.parse(`{${eventMembers(event)}}`)
  if (typeof value !== 'object' || value === null) throw new Error('an entry is an object')
  const {
    requestReceivedTimestamp: received,
    stageTimestamp: reached,
    ...rest
  } = value as Record<string, unknown>
  for (const one of [received, reached])
    if (typeof one !== 'string' || !time.test(one)) throw new Error(`not a time: ${String(one)}`)
  if (String(received) > String(reached)) throw new Error('a stage is reached before the request')
  return rest
}

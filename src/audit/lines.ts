/** Entries as lines of a log: JSON, or the older form for people. Source: audit.k8s.io/v1 Event; `--audit-log-format`. */

import type { Names } from '../names/names.ts'
import { quote } from '../status/quote.ts'
import { type AuditEvent, eventMembers, microTime } from './event.ts'
import type { AuditLogFormat } from './options.ts'

export type AuditLineWriter = (event: AuditEvent) => string

/** With the line feed. */
export function createLineWriter(format: AuditLogFormat, names: Names): AuditLineWriter {
  if (format === 'legacy') return legacyLine
  const head = `{"kind":"Event","apiVersion":"${names.expand('audit.{groups}')}/v1",`
  return (event) => `${head}${eventMembers(event)}}\n`
}

function legacyLine({ facts, stage, impersonatedUser, objectRef, responseStatus }: AuditEvent): string {
  const { user, receivedMicros, auditId, sourceIps, verb, userAgent, requestUri } = facts
  const name = user?.name ?? ''
  const groups = name === '' || user === undefined || user.groups.length === 0 ? undefined : user.groups
  const time = microTime(receivedMicros).replace(/\.?0*Z$/, 'Z')
  const values = {
    id: auditId,
    stage,
    ip: sourceIps[0] ?? '<unknown>',
    method: verb,
    user: name === '' ? '<none>' : name,
    groups: groups === undefined ? '<none>' : groups.map(quote).join(','),
    as: impersonatedUser?.name ?? '<self>',
    asgroups: impersonatedUser?.groups.map(quote).join(',') ?? '<lookup>',
    'user-agent': userAgent,
    namespace: (objectRef?.namespace ?? '') || '<none>',
    uri: requestUri,
    response: responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0),
  }
  const shown = Object.entries(values).map(([key, value]) => `${key}=${quote(value)}`)
  return `${time} AUDIT: ${shown.join(' ')}\n`
}

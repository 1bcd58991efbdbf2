/** What is counted of the audit log. Names and labels are those that dashboards of this API know. */

import { labelText, Numbers } from '../observe/exposition.ts'
import { type AuditLevel, auditLevels } from './policy.ts'

/** Who could not store an entry. */
export type AuditPlugin = 'log' | 'webhook' | 'buffered' | 'truncate'

const levelLabels = new Map(auditLevels.map((level) => [level, labelText({ level })]))

export class AuditMetrics {
  readonly #events = new Numbers('apiserver_audit_event_total', 'Audit events made and handed on.', 'counter')
  readonly #errors = new Numbers(
    'apiserver_audit_error_total',
    'Audit events that were not stored as they should be, by who failed.',
    'counter',
  )
  readonly #levels = new Numbers(
    'apiserver_audit_level_total',
    'Requests, by the level of auditing that the policy gives them.',
    'counter',
  )
  readonly #rejected = new Numbers(
    'apiserver_audit_requests_rejected_total',
    'Requests refused because their audit event could not be stored.',
    'counter',
  )

  constructor() {
    this.#events.add('', 0)
    this.#rejected.add('', 0)
  }

  event(): void {
    this.#events.add('', 1)
  }

  level(level: AuditLevel): void {
    this.#levels.add(levelLabels.get(level) ?? '', 1)
  }

  rejected(): void {
    this.#rejected.add('', 1)
  }

  failed(plugin: AuditPlugin, events: number): void {
    this.#errors.add(labelText({ plugin }), events)
  }

  readonly text = (): string =>
    this.#events.text() + this.#errors.text() + this.#levels.text() + this.#rejected.text()
}

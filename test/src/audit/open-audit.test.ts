/** The audit log as flags ask for it: into lines and to a service over HTTPS, in each mode. */

import t from 'tap'
import { openAuditLog } from '../../../src/audit/open-audit.ts'
import type { AuditOptions, AuditSinkOptions } from '../../../src/audit/options.ts'
import { createNames } from '../../../src/names/names.ts'
import { silentLog } from '../../../src/observe/log.ts'
import { eventually } from '../../support/eventually.ts'
import { startInProcess } from '../../support/in-process-server.ts'
import { liveClock } from '../../support/live-clock.ts'
import { inlineCa, kubeconfigTo } from '../../support/service-files.ts'
import { createTestAuthority, outsideWith, startTlsService } from '../../support/tls-service.ts'

const policy: AuditOptions['policy'] = {
  rules: [
    {
      level: 'Metadata',
      users: [],
      userGroups: [],
      verbs: ['list'],
      resources: [],
      namespaces: [],
      nonResourceUrls: [],
      omitStages: ['RequestReceived'],
      omitManagedFields: undefined,
    },
  ],
  omitStages: [],
  omitManagedFields: false,
}

const sink: AuditSinkOptions = {
  mode: 'batch',
  batch: { bufferEventsMax: 100, batchEventsMax: 2, waitMs: 3_600_000, throttle: undefined },
  truncate: undefined,
}

const parts = {
  names: createNames('kubernetes'),
  clock: liveClock,
  log: silentLog,
  fraction: () => 0,
  lines: () => {
    throw new TypeError('there are no lines')
  },
}

t.test('a service gets what has come together, and the rest at the end', async (t) => {
  const authority = await createTestAuthority()
  const bodies: string[] = []
  const service = await startTlsService(t, authority, (_request, response, body) => {
    bodies.push(body)
    response.end('{}')
  })
  const file = kubeconfigTo(`${service.url}/audit`, inlineCa(authority.ca.certificate))
  const written: string[] = []
  const opened = await openAuditLog(
    {
      policy,
      log: { ...sink, mode: 'blocking', format: 'legacy' },
      webhook: { ...sink, configFile: '/audit.yaml', firstDelayMs: 1 },
    },
    {
      ...parts,
      outside: async () => outsideWith(new Map([['/audit.yaml', file]])),
      lines: () => ({
        write(lines) {
          written.push(lines)
          return undefined
        },
        close() {},
      }),
    },
  )
  if (!opened.ok) throw new Error(opened.failure)
  const server = await startInProcess({ options: { audit: opened.value } })
  t.teardown(() => server.close())
  const list = async (id: string) =>
    server.request({ method: 'GET', target: '/api/v1/namespaces', headers: { 'audit-id': id } })
  await Promise.all(['a', 'b', 'c'].map(list))
  t.equal(written.length, 3)
  t.match(
    written[0],
    /AUDIT: id="a" stage="ResponseComplete".* uri="\/api\/v1\/namespaces" response="200"\n$/,
  )
  await eventually('the first list', () => bodies.length === 1)
  await server.close()
  t.match(
    bodies.map((body) => JSON.parse(body)),
    [
      { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [{ auditID: 'a' }, { auditID: 'b' }] },
      { items: [{ auditID: 'c', stage: 'ResponseComplete', responseStatus: { code: 200 } }] },
    ],
  )
  t.same(service.seen, ['POST /audit', 'POST /audit'])
})

t.test('a request waits for a service that must know of it, and is refused when it cannot', async (t) => {
  const authority = await createTestAuthority()
  let status = 200
  const service = await startTlsService(t, authority, (_request, response) => {
    response.statusCode = status
    response.end('{}')
  })
  const file = kubeconfigTo(service.url, inlineCa(authority.ca.certificate))
  const [rule] = policy.rules
  if (rule === undefined) throw new TypeError()
  const opened = await openAuditLog(
    {
      policy: { ...policy, rules: [{ ...rule, omitStages: ['ResponseComplete'] }] },
      log: undefined,
      webhook: { ...sink, mode: 'blocking-strict', configFile: '/audit.yaml', firstDelayMs: 1 },
    },
    { ...parts, outside: async () => outsideWith(new Map([['/audit.yaml', file]])) },
  )
  if (!opened.ok) throw new Error(opened.failure)
  const server = await startInProcess({ options: { audit: opened.value } })
  t.teardown(() => server.close())
  const list = async () => (await server.request({ method: 'GET', target: '/api/v1/namespaces' })).status
  t.equal(await list(), 200)
  t.equal(service.seen.length, 1)
  status = 503
  t.equal(await list(), 500)
  t.equal(service.seen.length, 6, 'five attempts')
  t.match(await server.api.metricsText(), 'apiserver_audit_error_total{plugin="webhook"} 1')
})

t.test('what cannot be opened is told by flag and file', async (t) => {
  const webhook = { ...sink, configFile: '/audit.yaml', firstDelayMs: 1 }
  const outside = async () => outsideWith()
  const opened = await openAuditLog({ policy, log: undefined, webhook }, { ...parts, outside })
  t.match(opened, { ok: false, failure: /^--audit-webhook-config-file \/audit\.yaml / })
})

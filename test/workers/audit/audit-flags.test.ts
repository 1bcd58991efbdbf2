/** Flags of the audit log: what they mean together. */

import t from 'tap'
import type { AuditConfig } from '../../../workers/flags/audit.ts'
import { configOf } from '../../../workers/flags/config.ts'
import { parseCommandLine } from '../../../workers/flags/parse.ts'

/** The configuration, or the message of the refusal. */
function configure(line: string): { readonly audit: AuditConfig | undefined } | string {
  const parsed = parseCommandLine(line === '' ? [] : line.split(' '))
  if (!parsed.ok) return parsed.failure.message
  if (parsed.value.type !== 'serve') return parsed.value.type
  const config = configOf(parsed.value.values, { environment: {}, homeDirectory: '/home/jane', cores: 8 })
  return config.ok ? { audit: config.value.audit } : config.failure.message
}

t.test('what is usual', (t) => {
  t.same(configure(''), { audit: undefined })
  t.same(configure('--audit-policy-file p --audit-log-path /log/a.log --audit-webhook-config-file k'), {
    audit: {
      policyFile: 'p',
      log: {
        mode: 'blocking',
        batch: { bufferEventsMax: 10_000, batchEventsMax: 1, waitMs: 0, throttle: undefined },
        truncate: undefined,
        format: 'json',
      },
      webhook: {
        mode: 'batch',
        batch: {
          bufferEventsMax: 10_000,
          batchEventsMax: 400,
          waitMs: 30_000,
          throttle: { perSecond: 10, burst: 15 },
        },
        truncate: undefined,
        configFile: 'k',
        firstDelayMs: 10_000,
      },
      file: { path: '/log/a.log', bytesMax: 104_857_600, backupsMax: 0, ageDaysMax: 0, compress: false },
    },
  })
  t.match(configure('--audit-policy-file p --audit-log-path - --audit-log-format legacy'), {
    audit: { log: { format: 'legacy' }, webhook: undefined, file: undefined },
  })
  t.match(
    configure(
      '--audit-policy-file p --audit-log-path a --audit-log-maxsize 2 --audit-log-truncate-enabled true',
    ),
    {
      audit: {
        log: { truncate: { eventBytesMax: 102_400, batchBytesMax: 10_485_760 } },
        file: { bytesMax: 2_097_152 },
      },
    },
  )
  t.end()
})

t.test('what contradicts itself', (t) => {
  const log = '--audit-policy-file p --audit-log-path a'
  for (const [line, message] of [
    [
      '--audit-policy-file p',
      '--audit-policy-file needs --audit-log-path or --audit-webhook-config-file: the events would go nowhere',
    ],
    [
      '--audit-log-path a',
      '--audit-log-path needs --audit-policy-file: without a policy nothing is written down',
    ],
    [
      '--audit-webhook-config-file a',
      '--audit-webhook-config-file needs --audit-policy-file: without a policy nothing is written down',
    ],
    ['--audit-log-maxage 3', '--audit-log-maxage needs --audit-log-path'],
    [`${log} --audit-webhook-mode batch`, '--audit-webhook-mode needs --audit-webhook-config-file'],
    [
      `${log} --audit-log-batch-throttle-enable true`,
      '--audit-log-batch-throttle-enable needs --audit-log-batch-throttle-qps',
    ],
    [
      `${log} --audit-log-truncate-enabled true --audit-log-truncate-max-batch-size 10`,
      '--audit-log-truncate-max-batch-size must not be less than --audit-log-truncate-max-event-size',
    ],
    [
      `${log} --audit-log-version audit.k8s.io/v1`,
      '--audit-log-version must be audit.cluster.io/v1, found "audit.k8s.io/v1"',
    ],
    [
      `${log} --audit-log-mode never`,
      '--audit-log-mode must be one of batch, blocking, blocking-strict, found "never"',
    ],
  ] as const) {
    t.equal(configure(line), message, line)
  }
  t.match(configure(`${log} --api-dialect kubernetes --audit-log-version audit.k8s.io/v1`), {
    audit: { policyFile: 'p' },
  })
  t.end()
})

/** Flags of the audit log: what is written down of requests, and where. */

import { auditLogFormats, auditModes } from '../../../src/audit/options.ts'
import { fail, ok } from '../../../store/contract.ts'
import { boolean, choice, duration, type FlagKind, file, flag, hour, integer, text } from '../flag.ts'

const group = 'Audit'
const many = 1_000_000_000

/** Above 0; fractions too. */
const rate: FlagKind<number> = {
  placeholder: 'NUMBER',
  parse(value) {
    const number = Number(value)
    return /^\d+(\.\d+)?$/.test(value) && number > 0
      ? ok(number)
      : fail(`must be a number above 0, found ${JSON.stringify(value)}`)
  },
}

export const auditFlags = {
  'audit-policy-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Which requests are written down, and how much of them: an audit Policy. Read at start.',
  }),
  'audit-log-path': flag({
    group,
    kind: file,
    default: undefined,
    help: 'File that audit events are written to, a line each; - = standard output. Needs --audit-policy-file.',
  }),
  'audit-log-format': flag({
    group,
    kind: choice(...auditLogFormats),
    default: undefined,
    defaultHelp: 'json',
    help: 'Lines of JSON, or the older ones of legacy.',
  }),
  'audit-log-version': flag({
    group,
    kind: text,
    default: undefined,
    defaultHelp: 'v1 of the group audit',
    help: 'API version that events in the log are of.',
  }),
  'audit-log-maxsize': flag({
    group,
    kind: integer(0, many, 'MEGABYTES'),
    default: undefined,
    defaultHelp: '100',
    help: 'A log of this size is put aside, and a new one begun; 0 = 100.',
  }),
  'audit-log-maxbackup': flag({
    group,
    kind: integer(0, many),
    default: undefined,
    defaultHelp: '0',
    help: 'Logs that were put aside are removed when there are more; 0 = never.',
  }),
  'audit-log-maxage': flag({
    group,
    kind: integer(0, many, 'DAYS'),
    default: undefined,
    defaultHelp: '0',
    help: 'Logs are removed so long after they were put aside; 0 = never.',
  }),
  'audit-log-compress': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'false',
    help: 'Whether logs that were put aside are compressed (gzip).',
  }),
  'audit-log-mode': flag({
    group,
    kind: choice(...auditModes),
    default: undefined,
    defaultHelp: 'blocking',
    help: 'Whether requests wait until their events are written, and are refused when they cannot be (blocking-strict), or events wait for company (batch).',
  }),
  'audit-log-batch-buffer-size': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    defaultHelp: '10000',
    help: 'Events that may wait in each worker process; more are dropped. Mode batch.',
  }),
  'audit-log-batch-max-size': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    defaultHelp: '1',
    help: 'Events that are written together, at most. Mode batch.',
  }),
  'audit-log-batch-max-wait': flag({
    group,
    kind: duration(0, hour),
    default: undefined,
    defaultHelp: '0s',
    help: 'Longest that events wait for company. Mode batch.',
  }),
  'audit-log-batch-throttle-enable': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'false',
    help: 'Whether the rate of writes is limited. Mode batch.',
  }),
  'audit-log-batch-throttle-qps': flag({
    group,
    kind: rate,
    default: undefined,
    help: 'Writes in a second, on average, of each worker process.',
  }),
  'audit-log-batch-throttle-burst': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    help: 'Writes at once, where there were fewer before.',
  }),
  'audit-log-truncate-enabled': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'false',
    help: 'Whether events that are too large lose the objects of request and response.',
  }),
  'audit-log-truncate-max-event-size': flag({
    group,
    kind: integer(1, many, 'BYTES'),
    default: undefined,
    defaultHelp: '102400',
    help: 'Larger events are cut down, and dropped where that is not enough.',
  }),
  'audit-log-truncate-max-batch-size': flag({
    group,
    kind: integer(1, many, 'BYTES'),
    default: undefined,
    defaultHelp: '10485760',
    help: 'Larger batches are split.',
  }),
  'audit-webhook-config-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Client configuration of a service that audit events are sent to. Needs --audit-policy-file.',
  }),
  'audit-webhook-version': flag({
    group,
    kind: text,
    default: undefined,
    defaultHelp: 'v1 of the group audit',
    help: 'API version that events are sent in.',
  }),
  'audit-webhook-initial-backoff': flag({
    group,
    kind: duration(0, hour),
    default: undefined,
    defaultHelp: '10s',
    help: 'Before events are sent again that the service did not take; half as much longer each time, five times in all.',
  }),
  'audit-webhook-mode': flag({
    group,
    kind: choice(...auditModes),
    default: undefined,
    defaultHelp: 'batch',
    help: 'As --audit-log-mode.',
  }),
  'audit-webhook-batch-buffer-size': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    defaultHelp: '10000',
    help: 'Events that may wait in each worker process; more are dropped. Mode batch.',
  }),
  'audit-webhook-batch-max-size': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    defaultHelp: '400',
    help: 'Events that are sent together, at most. Mode batch.',
  }),
  'audit-webhook-batch-max-wait': flag({
    group,
    kind: duration(0, hour),
    default: undefined,
    defaultHelp: '30s',
    help: 'Longest that events wait for company. Mode batch.',
  }),
  'audit-webhook-batch-throttle-enable': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'true',
    help: 'Whether the rate of requests to the service is limited. Mode batch.',
  }),
  'audit-webhook-batch-throttle-qps': flag({
    group,
    kind: rate,
    default: undefined,
    defaultHelp: '10',
    help: 'Requests in a second, on average, of each worker process.',
  }),
  'audit-webhook-batch-throttle-burst': flag({
    group,
    kind: integer(1, many),
    default: undefined,
    defaultHelp: '15',
    help: 'Requests at once, where there were fewer before.',
  }),
  'audit-webhook-truncate-enabled': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'false',
    help: 'Whether events that are too large lose the objects of request and response.',
  }),
  'audit-webhook-truncate-max-event-size': flag({
    group,
    kind: integer(1, many, 'BYTES'),
    default: undefined,
    defaultHelp: '102400',
    help: 'Larger events are cut down, and dropped where that is not enough.',
  }),
  'audit-webhook-truncate-max-batch-size': flag({
    group,
    kind: integer(1, many, 'BYTES'),
    default: undefined,
    defaultHelp: '10485760',
    help: 'Larger batches are split.',
  }),
} as const

/** The audit log as flags say it: checked against each other and completed. */

import type { AuditOptions, AuditSinkOptions } from '../../src/audit/options.ts'
import { createNames, type DialectName } from '../../src/names/names.ts'
import type { FlagName, FlagValues } from './table.ts'
import { auditFlags } from './tables/audit.ts'

export interface AuditConfig {
  readonly policyFile: string
  readonly log: AuditOptions['log']
  readonly webhook: AuditOptions['webhook']
  /** Undefined = lines go to standard output, or there are none. */
  readonly file: AuditFileConfig | undefined
}

export interface AuditFileConfig {
  readonly path: string
  /** It is put aside from this size on. */
  readonly bytesMax: number
  /** Files that were put aside; 0 = any number is kept. */
  readonly backupsMax: number
  /** 0 = they are kept for ever. */
  readonly ageDaysMax: number
  readonly compress: boolean
}

type Backend = 'log' | 'webhook'

const megabyte = 1024 * 1024
const defaultMegabytes = 100
const standardOutput = '-'

/** Undefined = nothing is written down. */
export function auditConfig(values: FlagValues): AuditConfig | undefined {
  const policyFile = values['audit-policy-file']
  if (policyFile === undefined) return undefined
  const path = values['audit-log-path']
  const configFile = values['audit-webhook-config-file']
  return {
    policyFile,
    log:
      path === undefined
        ? undefined
        : { ...sinkOptions(values, 'log'), format: values['audit-log-format'] ?? 'json' },
    webhook:
      configFile === undefined
        ? undefined
        : {
            ...sinkOptions(values, 'webhook'),
            configFile,
            firstDelayMs: values['audit-webhook-initial-backoff'] ?? 10_000,
          },
    file:
      path === undefined || path === standardOutput
        ? undefined
        : {
            path,
            bytesMax: (values['audit-log-maxsize'] || defaultMegabytes) * megabyte,
            backupsMax: values['audit-log-maxbackup'] ?? 0,
            ageDaysMax: values['audit-log-maxage'] ?? 0,
            compress: values['audit-log-compress'] ?? false,
          },
  }
}

const defaults = {
  log: { mode: 'blocking', batchEventsMax: 1, waitMs: 0, throttled: false, perSecond: 1, burst: 1 },
  webhook: { mode: 'batch', batchEventsMax: 400, waitMs: 30_000, throttled: true, perSecond: 10, burst: 15 },
} as const
const bufferEventsMax = 10_000
const eventBytesMax = 100 * 1024
const batchBytesMax = 10 * megabyte

function sinkOptions(values: FlagValues, backend: Backend): AuditSinkOptions {
  const usual = defaults[backend]
  const throttled = values[`audit-${backend}-batch-throttle-enable`] ?? usual.throttled
  return {
    mode: values[`audit-${backend}-mode`] ?? usual.mode,
    batch: {
      bufferEventsMax: values[`audit-${backend}-batch-buffer-size`] ?? bufferEventsMax,
      batchEventsMax: values[`audit-${backend}-batch-max-size`] ?? usual.batchEventsMax,
      waitMs: values[`audit-${backend}-batch-max-wait`] ?? usual.waitMs,
      throttle: throttled
        ? {
            perSecond: values[`audit-${backend}-batch-throttle-qps`] ?? usual.perSecond,
            burst: values[`audit-${backend}-batch-throttle-burst`] ?? usual.burst,
          }
        : undefined,
    },
    truncate:
      values[`audit-${backend}-truncate-enabled`] === true
        ? {
            eventBytesMax: values[`audit-${backend}-truncate-max-event-size`] ?? eventBytesMax,
            batchBytesMax: values[`audit-${backend}-truncate-max-batch-size`] ?? batchBytesMax,
          }
        : undefined,
  }
}

/** Undefined = all is well. */
export function auditContradiction(values: FlagValues): string | undefined {
  const policy = values['audit-policy-file']
  const goesSomewhere =
    values['audit-log-path'] !== undefined || values['audit-webhook-config-file'] !== undefined
  if (policy !== undefined && !goesSomewhere)
    return '--audit-policy-file needs --audit-log-path or --audit-webhook-config-file: the events would go nowhere'
  return backendContradiction(values, 'log') ?? backendContradiction(values, 'webhook')
}

function backendContradiction(values: FlagValues, backend: Backend): string | undefined {
  const place = backend === 'log' ? 'audit-log-path' : 'audit-webhook-config-file'
  const [one] = Object.keys(auditFlags)
    .filter((name): name is keyof typeof auditFlags => name.startsWith(`audit-${backend}-`))
    .filter((name: FlagName) => name !== place && values[name] !== undefined)
  if (values[place] === undefined) return one === undefined ? undefined : `--${one} needs --${place}`
  if (values['audit-policy-file'] === undefined)
    return `--${place} needs --audit-policy-file: without a policy nothing is written down`
  return (
    throttleContradiction(values, backend) ??
    truncateContradiction(values, backend) ??
    versionContradiction(values, backend)
  )
}

function throttleContradiction(values: FlagValues, backend: Backend): string | undefined {
  if (backend === 'webhook' || values['audit-log-batch-throttle-enable'] !== true) return undefined
  for (const needed of ['audit-log-batch-throttle-qps', 'audit-log-batch-throttle-burst'] as const)
    if (values[needed] === undefined) return `--audit-log-batch-throttle-enable needs --${needed}`
  return undefined
}

function truncateContradiction(values: FlagValues, backend: Backend): string | undefined {
  const truncate = sinkOptions(values, backend).truncate
  return truncate !== undefined && truncate.batchBytesMax < truncate.eventBytesMax
    ? `--audit-${backend}-truncate-max-batch-size must not be less than --audit-${backend}-truncate-max-event-size`
    : undefined
}

function versionContradiction(values: FlagValues, backend: Backend): string | undefined {
  const given = values[`audit-${backend}-version`]
  const dialect: DialectName = values['api-dialect'] ?? 'cluster'
  const only = `${createNames(dialect).expand('audit.{groups}')}/v1`
  return given === undefined || given === only
    ? undefined
    : `--audit-${backend}-version must be ${only}, found ${JSON.stringify(given)}`
}

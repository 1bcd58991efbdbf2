/**
 * How long metrics can be relied on. The text of each begins with its level; deprecated ones say so, and are hidden in time.
 * Names that this API's other servers have too have the level that they have there; all others are alpha.
 *
 * Source: specification, "Deprecation rules" 11a and 11b.
 */

type Stability = 'ALPHA' | 'BETA' | 'STABLE'

const stable: ReadonlySet<string> = new Set([
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
  'apiserver_request_duration_seconds',
  'apiserver_request_total',
  'apiserver_requested_deprecated_apis',
  'apiserver_response_sizes',
  'apiserver_storage_objects',
  'apiserver_storage_size_bytes',
])

/** Under the name of the product. */
const health = /^[a-z]+_healthchecks?(_total)?$/

const beta =
  /^(apiserver_flowcontrol_(current_(executing_(requests|seats)|inqueue_requests)|dispatched_requests_total|nominal_limit_seats|rejected_requests_total|request_wait_duration_seconds)|apiserver_validating_admission_policy_check_(total|duration_seconds)|[a-z]+_feature_enabled|(registered|hidden|disabled)_metrics_total)$/

/** Name → minor version since when it is deprecated. */
const deprecated: ReadonlyMap<string, number> = new Map([['apiserver_storage_db_total_size_in_bytes', 28]])

/** Minor versions between the deprecation of a metric and the one that hides it. */
const windows: Readonly<Record<Stability, number>> = { ALPHA: 0, BETA: 1, STABLE: 3 }

export function stabilityOf(name: string): Stability {
  return stable.has(name) || health.test(name) ? 'STABLE' : beta.test(name) ? 'BETA' : 'ALPHA'
}

/** What stands before the help of a metric: `[STABLE] `, `[ALPHA] (Deprecated from 1.28) `. */
export function helpPrefix(name: string): string {
  const since = deprecated.get(name)
  return `[${stabilityOf(name)}] ${since === undefined ? '' : `(Deprecated from 1.${since}) `}`
}

/** Is it no longer shown, unless asked for with `--show-hidden-metrics-for-version`? `minor`: of the API that is served. */
export function isHiddenIn(minor: number, name: string): boolean {
  const since = deprecated.get(name)
  return since !== undefined && since + windows[stabilityOf(name)] <= minor
}

/** `1.28.0`; '' = it is not deprecated. */
export function versionOfDeprecation(name: string): string {
  const since = deprecated.get(name)
  return since === undefined ? '' : `1.${since}.0`
}

export function deprecatedMetrics(): readonly string[] {
  return [...deprecated.keys()]
}

/** The text of metrics that others have written, with levels. */
export function withStability(text: string): string {
  return text.replace(/^# HELP (\S+) /gm, (start, name: string) => `${start}${helpPrefix(name)}`)
}

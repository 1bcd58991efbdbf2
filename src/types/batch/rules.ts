/** What jobs and cron jobs may be. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, notSupported, required } from '../../status/causes.ts'
import { mismatch } from '../apps/rules.ts'
import type { PodRules } from '../core/pod-rules.ts'
import { selectorMatches } from '../label-selector.ts'
import { type Causes, checkNotNegative } from '../validation/checks.ts'
import { isValidSelector } from '../validation/labels.ts'
import { labelNameProblems } from '../validation/names.ts'
import { has, numberIn, objectIn, textIn } from '../validation/read.ts'
import { scheduleProblem } from './cron-schedule.ts'
import { checkFailurePolicy, checkSuccessPolicy } from './policy-rules.ts'

const indexedParallelismMax = 100_000
const failedIndexesMax = 100_000
/** Beyond them the status of a job that counts failures by index would grow too large. */
const many = { completions: 100_000, parallelism: 10_000, maxFailedIndexes: 10_000 }

/** Of a job itself: its selector is there by now. */
export function checkJobSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  const selector = objectIn(spec, 'selector')
  if (selector === undefined) causes.push(required(`${path}.selector`))
  const isValid = isValidSelector(causes, `${path}.selector`, selector)
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels')
  if (isValid && (selector === undefined || !selectorMatches(selector, labels)))
    causes.push(mismatch(`${path}.template.metadata.labels`, labels))
  checkJobParts(causes, path, spec, rules)
}

/** What a job and the template of one have in common. */
function checkJobParts(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'parallelism', 'completions', 'activeDeadlineSeconds')
  checkNotNegative(causes, path, spec, 'backoffLimit', 'ttlSecondsAfterFinished')
  checkNotNegative(causes, path, spec, 'backoffLimitPerIndex', 'maxFailedIndexes')
  checkIndexes(causes, path, spec)
  const template = objectIn(spec, 'template')
  rules.checkTemplate(causes, `${path}.template`, template)
  checkRestart(
    causes,
    `${path}.template.spec`,
    objectIn(template, 'spec') ?? {},
    has(spec, 'podFailurePolicy'),
  )
  checkFailurePolicy(causes, `${path}.podFailurePolicy`, spec)
  const replacement = textIn(spec, 'podReplacementPolicy')
  if (has(spec, 'podFailurePolicy') && replacement === 'TerminatingOrFailed')
    causes.push(notSupported(`${path}.podReplacementPolicy`, replacement, ['Failed']))
  checkSuccessPolicy(causes, `${path}.successPolicy`, spec)
}

function checkRestart(causes: Causes, path: string, spec: JsonObject, hasPolicy: boolean): void {
  const policy = textIn(spec, 'restartPolicy')
  if (policy === 'Always' || policy === '')
    causes.push(required(`${path}.restartPolicy`, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never')
    causes.push(notSupported(`${path}.restartPolicy`, policy, ['OnFailure', 'Never']))
  else if (hasPolicy && policy === 'OnFailure')
    causes.push(
      invalidValue(
        `${path}.restartPolicy`,
        policy,
        'only "Never" is supported when podFailurePolicy is specified',
      ),
    )
}

function checkIndexes(causes: Causes, path: string, spec: JsonObject): void {
  const indexed = textIn(spec, 'completionMode') === 'Indexed'
  const completions = numberIn(spec, 'completions')
  const perIndex = numberIn(spec, 'backoffLimitPerIndex')
  const failed = numberIn(spec, 'maxFailedIndexes')
  if (indexed) {
    const when = 'when completion mode is Indexed'
    const parallelism = numberIn(spec, 'parallelism') ?? 0
    if (completions === undefined) causes.push(required(`${path}.completions`, when))
    if (parallelism > indexedParallelismMax)
      causes.push(
        invalidValue(
          `${path}.parallelism`,
          parallelism,
          `must be less than or equal to ${indexedParallelismMax} ${when}`,
        ),
      )
    checkFailedIndexes(causes, path, spec)
  } else
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'])
      if (has(spec, name))
        causes.push(invalidValue(`${path}.${name}`, spec[name], 'requires indexed completion mode'))
  if (failed !== undefined && perIndex === undefined)
    causes.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
}

function checkFailedIndexes(causes: Causes, path: string, spec: JsonObject): void {
  const completions = numberIn(spec, 'completions') ?? 0
  const failed = numberIn(spec, 'maxFailedIndexes')
  const at = `${path}.maxFailedIndexes`
  const atMost = 'must be less than or equal to'
  if (failed !== undefined && has(spec, 'completions') && failed > completions)
    causes.push(invalidValue(at, failed, `${atMost} completions`))
  if (failed !== undefined && failed > failedIndexesMax)
    causes.push(invalidValue(at, failed, `${atMost} ${failedIndexesMax}`))
  if (completions <= many.completions || !has(spec, 'backoffLimitPerIndex')) return
  if (failed === undefined)
    causes.push(required(at, `must be specified when completions is above ${many.completions}`))
  for (const name of ['parallelism', 'maxFailedIndexes'] as const) {
    const value = numberIn(spec, name) ?? 0
    const why = `when completions are above ${many.completions} and used with backoff limit per index`
    if (value > many[name])
      causes.push(invalidValue(`${path}.${name}`, value, `${atMost} ${many[name]} ${why}`))
  }
}

/** Pods of an indexed job are called like it, with their index behind the name. */
export function checkIndexedName(causes: Causes, name: string, spec: JsonObject): void {
  const completions = numberIn(spec, 'completions') ?? 0
  if (textIn(spec, 'completionMode') !== 'Indexed' || completions <= 0) return
  const longest = `${name}-${completions - 1}`
  if (labelNameProblems(longest).length > 0)
    causes.push(
      invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`),
    )
}

export function checkCronJobSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'startingDeadlineSeconds')
  checkNotNegative(causes, path, spec, 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit')
  checkSchedule(causes, path, spec)
  const template = objectIn(spec, 'jobTemplate')
  const job = objectIn(template, 'spec') ?? {}
  const at = `${path}.jobTemplate.spec`
  if (has(job, 'selector'))
    causes.push(invalidValue(`${at}.selector`, job['selector'], '`selector` will be auto-generated'))
  if (job['manualSelector'] === true)
    causes.push(notSupported(`${at}.manualSelector`, true, ['nil', 'false']))
  checkJobParts(causes, at, job, rules)
}

function checkSchedule(causes: Causes, path: string, spec: JsonObject): void {
  const schedule = textIn(spec, 'schedule')
  if (schedule.includes('TZ'))
    causes.push(
      invalidValue(
        `${path}.schedule`,
        schedule,
        'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ),
    )
  else if (schedule !== '') {
    const problem = scheduleProblem(schedule)
    if (problem !== undefined) causes.push(invalidValue(`${path}.schedule`, schedule, problem))
  }
  if (!has(spec, 'timeZone')) return
  const zone = textIn(spec, 'timeZone')
  const problem = zoneProblem(zone)
  if (problem !== undefined) causes.push(invalidValue(`${path}.timeZone`, zone, problem))
}

function zoneProblem(zone: string): string | undefined {
  if (zone === '') return 'timeZone must be nil or non-empty string'
  if (zone.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
  return isZone(zone) ? undefined : `unknown time zone ${zone}`
}

/** An offset such as `+02:00` is something else than a zone. */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

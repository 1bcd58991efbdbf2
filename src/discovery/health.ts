/**
 * Health for machines (the status code) and people (`verbose`). Source: specification, "Health endpoints".
 *
 *     [+]ping ok
 *     [-]store failed: reason withheld
 *     readyz check failed
 */

import { type Answer, textAnswer } from '../pipeline/answer.ts'
import type { Query } from '../pipeline/query.ts'

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

/** Undefined = fine; else why not, for the log: who asks for health needs no credential and is told no reasons. */
type Problem = string | undefined

export interface HealthCheck {
  readonly name: string
  readonly endpoints: ReadonlySet<HealthEndpoint>
  check(): Problem | Promise<Problem>
}

interface HealthReport {
  readonly endpoint: HealthEndpoint
  readonly failures: ReadonlyMap<string, string>
}

export interface Health {
  /** `check` = one check alone, by name; '' = all. */
  serve(endpoint: HealthEndpoint, check: string, query: Query): Promise<Answer>
}

interface HealthObserver {
  /** Of each check of an answer that is made of all of them. */
  checked(name: string, endpoint: HealthEndpoint, healthy: boolean): void
  /** Of every answer that is not healthy. */
  failed(report: HealthReport): void
}

export function createHealth(checks: readonly HealthCheck[], observer: HealthObserver): Health {
  return {
    async serve(endpoint, single, query) {
      const all = checks.filter(({ endpoints }) => endpoints.has(endpoint))
      const asked = single === '' ? all : all.filter(({ name }) => name === single)
      if (asked.length === 0) return textAnswer(404, '404 page not found\n')
      const excluded = new Set(
        query
          .all('exclude')
          .flatMap((text) => text.split(','))
          .filter(Boolean),
      )
      const failures = new Map<string, string>()
      const lines: string[] = []
      for (const check of asked) {
        if (excluded.delete(check.name)) {
          lines.push(`[+]${check.name} excluded: ok`)
          continue
        }
        const problem = await check.check()
        if (problem !== undefined) failures.set(check.name, problem)
        if (single === '') observer.checked(check.name, endpoint, problem === undefined)
        lines.push(problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`)
      }
      if (excluded.size > 0) {
        const names = [...excluded].map((name) => JSON.stringify(name)).join(',')
        lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`)
      }
      if (failures.size > 0) observer.failed({ endpoint, failures })
      return healthAnswer(endpoint, lines, failures.size === 0, query.flag('verbose') === true)
    },
  }
}

function healthAnswer(
  endpoint: HealthEndpoint,
  lines: readonly string[],
  healthy: boolean,
  verbose: boolean,
): Answer {
  if (healthy && !verbose) return textAnswer(200, 'ok')
  const verdict = `${endpoint} check ${healthy ? 'passed' : 'failed'}`
  return textAnswer(healthy ? 200 : 500, `${[...lines, verdict].join('\n')}\n`)
}

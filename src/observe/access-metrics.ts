/** What is counted of the questions who asks, and whether they may. Names and labels are those that dashboards of this API know. */

import type { Authentication } from '../authn/authenticate.ts'
import type { Decision } from '../authz/authorizer.ts'
import { Histogram, labelText, Numbers } from './exposition.ts'

/** Seconds: doubling from a millisecond on. */
const bounds = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at)

const [hour, day] = [3600, 86_400]
const certificateBounds = [
  ...[0, hour / 2, hour, 2 * hour, 6 * hour, 12 * hour],
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * day),
]

const authenticated = { user: 'success', refused: 'failure', none: 'error' } as const
const decided = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const

const results = new Map(
  [...Object.values(authenticated), ...Object.values(decided)].map((result) => [
    result,
    labelText({ result }),
  ]),
)
const other = labelText({ username: 'other' })
const email = labelText({ username: 'email_id' })

export class AccessMetrics {
  readonly #attempts = new Numbers(
    'authentication_attempts',
    'Requests, by whether it was clear whose they are.',
    'counter',
  )
  readonly #users = new Numbers(
    'authenticated_user_requests',
    'Requests of known users, by the form of their name.',
    'counter',
  )
  readonly #durations = new Histogram(
    'authentication_duration_seconds',
    'Time to find out whose a request is.',
    bounds,
  )
  readonly #decisions = new Numbers(
    'authorization_attempts_total',
    'Requests, by whether they were allowed.',
    'counter',
  )
  readonly #decisionDurations = new Histogram(
    'authorization_duration_seconds',
    'Time to find out whether a request is allowed.',
    bounds,
  )

  readonly #certificates = new Histogram(
    'apiserver_client_certificate_expiration_seconds',
    'Time that is left to the client certificates of requests.',
    certificateBounds,
  )

  /** A request came over a connection with this time left to its certificate. */
  certificate(leftMs: number): void {
    this.#certificates.observe('', leftMs / 1000)
  }

  authenticated(authentication: Authentication, tookMs: number): void {
    const labels = results.get(authenticated[authentication.type]) ?? ''
    this.#attempts.add(labels, 1)
    this.#durations.observe(labels, tookMs / 1000)
    if (authentication.type !== 'user') return
    this.#users.add(authentication.user.name.includes('@') ? email : other, 1)
  }

  decided(decision: Decision['decision'], tookMs: number): void {
    const labels = results.get(decided[decision]) ?? ''
    this.#decisions.add(labels, 1)
    this.#decisionDurations.observe(labels, tookMs / 1000)
  }

  readonly text = (): string =>
    this.#attempts.text() +
    this.#users.text() +
    this.#durations.text() +
    this.#decisions.text() +
    this.#decisionDurations.text() +
    this.#certificates.text()
}

/** How long tokens of each issuer took to be believed or refused. The name is one that dashboards of this API know. */

import { createHash } from 'node:crypto'
import { Histogram, labelText } from '../../observe/exposition.ts'

/** 1 ms, doubling, to 16 s. */
const secondBounds = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power)

export class JwtMetrics {
  readonly #latencies = new Histogram(
    'apiserver_authentication_jwt_authenticator_latency_seconds',
    'Time that a token of an issuer took, by what came of it. Tokens that are remembered are not looked at again.',
    secondBounds,
  )

  /** An issuer is shown as a digest: its address may tell who the tenants are. */
  observe(issuer: string, result: 'success' | 'failure', seconds: number): void {
    const digest = createHash('sha256').update(issuer).digest('hex')
    this.#latencies.observe(labelText({ jwt_issuer_hash: `sha256:${digest}`, result }), seconds)
  }

  text(): string {
    return this.#latencies.text()
  }
}

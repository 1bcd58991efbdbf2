/**
 * Entries as lists that a service is sent, tried again for as long as it may still take them: whatever a service
 * answers, it may be back soon.
 *
 * Source: audit.k8s.io/v1 EventList; `--audit-webhook-*`.
 */

import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { Endpoint } from '../outside/kubeconfig.ts'
import { type AuditEvent, eventMembers } from './event.ts'
import type { AuditFailures, AuditSink } from './sink.ts'

interface WebhookParts {
  readonly endpoint: Endpoint
  readonly names: Names
  readonly clock: Clock
  /** 0 ≤ x < 1: spreads attempts. */
  readonly fraction: () => number
  /** Before the second attempt. Milliseconds. */
  readonly firstDelayMs: number
  readonly failed: AuditFailures
}

const attemptsMax = 5
const delayFactor = 1.5
const delayJitter = 0.2
/** Of one attempt. */
const timeoutMs = 30_000
const answerBytesMax = 1024 * 1024

export function createWebhookSink(parts: WebhookParts): AuditSink {
  const { endpoint, names, clock, failed } = parts
  const head = `{"kind":"EventList","apiVersion":"${names.expand('audit.{groups}')}/v1","metadata":{},"items":[`
  let closed = false
  let wake = (): void => {}
  const closing = new Promise<void>((resolve) => {
    wake = resolve
  })

  async function deliver(events: readonly AuditEvent[]): Promise<boolean> {
    const body = Buffer.from(`${head}${events.map((event) => `{${eventMembers(event)}}`).join(',')}]}`)
    let delayMs = parts.firstDelayMs
    for (let attempt = 1; ; attempt++) {
      const why = await send(endpoint, body)
      if (why === undefined) return true
      if (attempt === attemptsMax || closed) {
        failed('webhook', why, events)
        return false
      }
      await pause(delayMs * (1 + delayJitter * parts.fraction()))
      delayMs *= delayFactor
    }
  }

  /** The end of the server is waited for no longer than one more attempt takes. */
  async function pause(ms: number): Promise<void> {
    let resume = (): void => {}
    const timer = clock.after(ms, () => resume())
    const elapsed = new Promise<void>((resolve) => {
      resume = resolve
    })
    await Promise.race([elapsed, closing])
    timer.cancel()
  }

  const sending = new Set<Promise<boolean>>()
  return {
    process(events) {
      const done = deliver(events).finally(() => sending.delete(done))
      sending.add(done)
      return done
    },
    async close() {
      closed = true
      wake()
      await Promise.all(sending)
      endpoint.client.close()
    },
  }
}

/** Undefined = the service has taken it; else why not. */
async function send({ client, url, authorization }: Endpoint, body: Buffer): Promise<string | undefined> {
  const credential = await authorization()
  const answer = await client.request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      ...(credential === undefined ? {} : { authorization: credential }),
    },
    body,
    timeoutMs,
    answerBytesMax,
  })
  if (!answer.ok) return answer.failure.message
  const { status } = answer.value
  return status >= 200 && status < 300 ? undefined : `${new URL(url).host} answered ${status}`
}

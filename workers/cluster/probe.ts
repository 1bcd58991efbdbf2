import { get } from 'node:https'
import type { Backend } from './balancer.ts'

/** Longer than a server takes to find out that its store has no leader. */
const answerMs = 2500

/** Asks a server whether it is ready for clients. */
export function probeReady({ host, port }: Backend, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      {
        host,
        port,
        path: '/readyz',
        ca,
        agent: false,
        timeout: answerMs,
        signal: AbortSignal.timeout(answerMs),
      },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      },
    )
    request.on('error', () => resolve(false))
  })
}

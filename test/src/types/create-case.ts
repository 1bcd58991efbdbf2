/** The words in which the tables of created objects are written. */

import type { JsonValue } from '../../../src/json.ts'

/** Body without its envelope, and by path what is there besides. */
export interface Case {
  readonly of: string
  readonly body: Readonly<Record<string, unknown>>
  readonly added: Readonly<Record<string, JsonValue>>
}

export const container = { name: 'c', image: 'app' }
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
export const selector = { matchLabels: { a: 'b' } }

/** Of a pod template, at this path. */
export function templateAt(path: string): Record<string, JsonValue> {
  return {
    [`${path}.metadata.creationTimestamp`]: null,
    ...podSpecAt(`${path}.spec`),
  }
}

export function podSpecAt(path: string): Record<string, JsonValue> {
  return {
    ...containerAt(`${path}.containers.0`),
    [`${path}.restartPolicy`]: 'Always',
    [`${path}.terminationGracePeriodSeconds`]: 30,
    [`${path}.dnsPolicy`]: 'ClusterFirst',
    [`${path}.securityContext`]: {},
    [`${path}.schedulerName`]: 'default-scheduler',
  }
}

export function containerAt(path: string, pull = 'Always'): Record<string, JsonValue> {
  return {
    [`${path}.resources`]: {},
    [`${path}.terminationMessagePath`]: '/dev/termination-log',
    [`${path}.terminationMessagePolicy`]: 'File',
    [`${path}.imagePullPolicy`]: pull,
  }
}

export function probeAt(path: string): Record<string, JsonValue> {
  return {
    [`${path}.timeoutSeconds`]: 1,
    [`${path}.periodSeconds`]: 10,
    [`${path}.successThreshold`]: 1,
    [`${path}.failureThreshold`]: 3,
  }
}

/** How the tests of access control ask, and grant. */

import type { Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import {
  type InProcessOptions,
  type InProcessServer,
  startInProcess,
} from '../../support/in-process-server.ts'

export const group = 'rbac.authorization.k8s.io'
export const rbac = `/apis/${group}/v1`
export const reviews = '/apis/authorization.k8s.io/v1'

interface Answer {
  readonly status: number
  readonly body: { readonly [field: string]: never } & {
    readonly message?: string
    readonly rules?: readonly { readonly resources?: readonly string[] }[]
    readonly subjects?: readonly { readonly name: string }[]
    readonly status?: { readonly [field: string]: unknown }
  }
}

export async function started(t: Test, options: InProcessOptions = {}): Promise<InProcessServer> {
  const server = await startInProcess(options)
  t.teardown(() => server.close())
  return server
}

type As = 'admin' | 'user' | 'anonymous'

export async function ask(
  server: InProcessServer,
  as: As,
  line: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method = '', target = ''] = line.split(' ')
  const answer = await server.request({
    method,
    target,
    as,
    headers: method === 'PATCH' ? { 'content-type': 'application/merge-patch+json', ...headers } : headers,
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, body: JSON.parse(answer.body.toString()) }
}

export function role(name: string, ...rules: readonly object[]): object {
  return { metadata: { name }, rules }
}

export function rule(verbs: readonly string[], resource: string, apiGroup = ''): object {
  return { verbs, apiGroups: [apiGroup], resources: [resource] }
}

export function binding(name: string, kind: string, to: string, user: string): object {
  return {
    metadata: { name },
    roleRef: { apiGroup: group, kind, name: to },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  }
}

/** Gives jane rights, and waits until they count. */
export async function allow(
  server: InProcessServer,
  name: string,
  ...rules: readonly object[]
): Promise<void> {
  await ask(server, 'admin', `POST ${rbac}/clusterroles`, role(name, ...rules))
  await ask(server, 'admin', `POST ${rbac}/clusterrolebindings`, binding(name, 'ClusterRole', name, 'jane'))
  await eventually('the binding to count', async () => {
    const { body } = await ask(server, 'user', `POST ${reviews}/selfsubjectrulesreviews`, {
      spec: { namespace: 'default' },
    })
    return JSON.stringify(body.status).includes(JSON.stringify(rules[0]).slice(1, -1))
  })
}

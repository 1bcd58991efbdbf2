/**
 * A service account's way into the API, as controllers in a cluster take it: a bearer token, no client certificate.
 */

import { isJsonObject } from '../../src/json.ts'
import { call, callExpecting, parseObject } from '../client/api.ts'
import { createEndpoint, type Endpoint } from '../client/endpoint.ts'
import { collectionPath } from './objects.ts'
import type { Context } from './scenario.ts'

const account = 'bench-watcher'
const tokenSeconds = 3600
/** How long a server may take to learn of a role binding, milliseconds. */
const boundMs = 5_000
const pollMs = 20

/**
 * Makes a service account in the scenario's namespace that may read it, and a token of it. The bare server knows no
 * accounts, and its clients have no certificate: its own endpoint.
 */
export async function tokenEndpoint({ target, namespace }: Context): Promise<Endpoint> {
  const { endpoint, isBaseline } = target
  if (isBaseline) return endpoint
  const rbac = await groupOf(endpoint, 'rbac.authorization.')
  const authentication = await groupOf(endpoint, 'authentication.')
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await post(endpoint, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } })
  await post(endpoint, `/apis/${rbac}/v1/namespaces/${namespace}/rolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: account },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  })
  const { status } = parseObject(
    await post(endpoint, `${accounts}/${account}/token`, {
      apiVersion: `${authentication}/v1`,
      kind: 'TokenRequest',
      spec: { expirationSeconds: tokenSeconds },
    }),
  )
  const token = isJsonObject(status) ? status['token'] : undefined
  if (typeof token !== 'string') throw new Error('the token request was answered without a token')
  const { cert: _cert, key: _key, ...credentials } = endpoint.credentials
  const own = createEndpoint({ ...credentials, token })
  await untilBound(own, namespace)
  return own
}

/** How the group is called in the dialect of this server. */
async function groupOf(endpoint: Endpoint, prefix: string): Promise<string> {
  const { groups } = parseObject(await callExpecting(endpoint, { method: 'GET', target: '/apis' }, 200))
  const names = Array.isArray(groups)
    ? groups.map((group) => (isJsonObject(group) ? group['name'] : undefined))
    : []
  const found = names.find((name) => typeof name === 'string' && name.startsWith(prefix))
  if (typeof found !== 'string') throw new Error(`no group of the server begins with ${prefix}`)
  return found
}

function post(endpoint: Endpoint, target: string, object: object): Promise<Buffer> {
  const body = JSON.stringify(object)
  return callExpecting(endpoint, { method: 'POST', target, contentType: 'application/json', body }, 201)
}

async function untilBound(endpoint: Endpoint, namespace: string): Promise<void> {
  const request = { method: 'GET', target: `${collectionPath(namespace)}?limit=1` } as const
  const deadlineMs = performance.now() + boundMs
  while ((await call(endpoint, request)).status !== 200) {
    if (performance.now() > deadlineMs)
      throw new Error(`the service account may not read after ${boundMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

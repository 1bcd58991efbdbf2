/** Flow schemas and priority levels that look after themselves. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { eventually } from '../../support/eventually.ts'
import { startInProcess } from '../../support/in-process-server.ts'

const base = '/apis/flowcontrol.apiserver.k8s.io/v1'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface Flow {
  readonly metadata: { readonly resourceVersion: string }
  readonly spec: {
    readonly matchingPrecedence: number
    readonly limited: { readonly lendablePercent: number }
  }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

t.test('objects of the system are kept, conditions told', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())

  async function get(path: string): Promise<Flow | undefined> {
    const { status, body } = await server.request({ method: 'GET', target: `${base}/${path}` })
    return status === 200 ? JSON.parse(body.toString('utf8')) : undefined
  }
  async function patch(path: string, body: JsonObject): Promise<number> {
    const headers = { 'content-type': 'application/merge-patch+json' }
    return (await server.request({ method: 'PATCH', target: `${base}/${path}`, headers, body })).status
  }
  async function condition(schema: string): Promise<Condition | undefined> {
    return (await get(`flowschemas/${schema}`))?.status?.conditions?.find(({ type }) => type === 'Dangling')
  }

  await eventually(
    'a condition on a schema of the system',
    async () => (await condition('probes')) !== undefined,
  )
  t.match(await condition('probes'), {
    status: 'False',
    reason: 'Found',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists',
  })

  const precedence = async (schema: string) => (await get(`flowschemas/${schema}`))?.spec.matchingPrecedence
  t.equal(await patch('flowschemas/probes', { spec: { matchingPrecedence: 3 } }), 200)
  await eventually('the spec is restored', async () => (await precedence('probes')) === 2)

  const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' }
  t.equal(
    await patch('flowschemas/system-nodes', { metadata: { annotations }, spec: { matchingPrecedence: 501 } }),
    200,
  )
  t.equal(
    await patch('flowschemas/catch-all', { metadata: { annotations }, spec: { matchingPrecedence: 9 } }),
    200,
  )
  await eventually(
    'the mandatory are kept whatever they say',
    async () => (await precedence('catch-all')) === 10_000,
  )
  t.equal(await precedence('system-nodes'), 501, 'others are the administrator’s, who said so')

  await server.request({ method: 'DELETE', target: `${base}/prioritylevelconfigurations/catch-all` })
  await eventually(
    'is made again',
    async () => (await get('prioritylevelconfigurations/catch-all')) !== undefined,
  )

  const made = await server.request({
    method: 'POST',
    target: `${base}/flowschemas`,
    body: {
      metadata: { name: 'mine' },
      spec: {
        priorityLevelConfiguration: { name: 'missing' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'me' } }],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
  })
  t.equal(made.status, 201)
  await eventually('a condition', async () => (await condition('mine')) !== undefined)
  t.match(await condition('mine'), {
    status: 'True',
    reason: 'NotFound',
    message:
      'This FlowSchema references the PriorityLevelConfiguration object named "missing" but there is no such object',
  })
})

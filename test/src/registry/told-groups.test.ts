/** Which group an invalid object is said to be of: kinds that had another home once are still said to be at home there. */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'

t.test('groups in refusals', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const metadata = { name: 'Bad_Name', namespace: 'default' }
  for (const [path, body, subject, details] of [
    [
      'networking.k8s.io/v1/namespaces/default/ingresses',
      { spec: {} },
      'Ingress.extensions',
      { group: 'extensions', kind: 'Ingress' },
    ],
    [
      'networking.k8s.io/v1/namespaces/default/networkpolicies',
      { spec: { podSelector: {} } },
      'NetworkPolicy.extensions',
      { group: 'extensions', kind: 'NetworkPolicy' },
    ],
    [
      'networking.k8s.io/v1/ingressclasses',
      { metadata: { name: 'Bad_Name' } },
      'IngressClass.networking.k8s.io',
      { group: 'networking.k8s.io', kind: 'IngressClass' },
    ],
    ['events.k8s.io/v1/namespaces/default/events', {}, 'Event', { group: undefined, kind: 'Event' }],
    ['apps/v1/namespaces/default/deployments', {}, 'Deployment.apps', { group: 'apps', kind: 'Deployment' }],
  ] as const) {
    const { status, body: answer } = await server.request({
      method: 'POST',
      target: `/apis/${path}`,
      body: { metadata, ...body },
    })
    t.equal(status, 422, path)
    const told: unknown = JSON.parse(answer.toString())
    t.match(told, { details: { name: 'Bad_Name', ...details } }, path)
    t.match((told as { readonly message: string }).message, new RegExp(`^${subject} "Bad_Name" is invalid: `))
  }
})

t.test('bodies are JSON, YAML or protobuf, by the one name that each has', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [type, status] of [
    ['application/yaml', 201],
    ['text/yaml', 415],
    ['application/x-yaml', 415],
  ] as const) {
    const answer = await server.request({
      method: 'POST',
      target: '/api/v1/namespaces/default/configmaps',
      headers: { 'content-type': type },
      body: 'metadata:\n  generateName: a-\n',
    })
    t.equal(answer.status, status, type)
  }
})

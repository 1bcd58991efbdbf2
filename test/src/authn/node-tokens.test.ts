/** What a node may do with accounts and pods, through authorization and admission together. */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { ecKey, payloadOf, serviceAccountOptions } from '../../support/tokens.ts'
import { tokenClient } from './token-client.ts'

const base = '/api/v1/namespaces/default'

t.test('(request of node a → status)', async (t) => {
  const client = await tokenClient(t, {
    serviceAccounts: serviceAccountOptions(ecKey()),
    admissionPlugins: { enable: ['NodeRestriction'] },
  })
  const { must, server } = client
  const uids = new Map<string, string>()
  for (const name of ['robot', 'lonely']) await must(`POST ${base}/serviceaccounts`, { metadata: { name } })
  for (const [name, nodeName] of [
    ['mine', 'a'],
    ['other', 'b'],
  ] as const) {
    const made = await must(`POST ${base}/pods`, {
      metadata: { name },
      spec: { serviceAccountName: 'robot', nodeName, containers: [{ name: 'c', image: 'i' }] },
    })
    uids.set(name, (made as unknown as { metadata: { uid: string } }).metadata.uid)
  }
  const asNode = async (line: string, body?: object) => {
    const [method = '', target = ''] = line.split(' ')
    const headers = { 'impersonate-user': 'system:node:a', 'impersonate-group': 'system:nodes' }
    const answer = await server.request({ method, target, headers, ...(body === undefined ? {} : { body }) })
    return { status: answer.status, body: JSON.parse(answer.body.toString()) }
  }
  const bound = (name: string, uid = uids.get(name)) => ({
    spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid === undefined ? {} : { uid }) } },
  })
  const token = `POST ${base}/serviceaccounts/robot/token`
  const evict = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
  await eventually('the node to be known to run its pod', async () => {
    return (await asNode(token, bound('mine'))).status === 201
  })
  for (const [what, line, body, status, message] of [
    ['a token for its pod', token, bound('mine'), 201, ''],
    ['a token for nothing', token, {}, 403, 'node requested token not bound to a pod'],
    [
      'a token for a pod elsewhere',
      token,
      bound('other'),
      403,
      'node requested token bound to a pod scheduled on a different node',
    ],
    [
      'a token for a pod that was there before',
      token,
      bound('mine', 'old'),
      403,
      'the UID in the bound object reference (old) does not match',
    ],
    [
      'a token of an account that none of its pods has',
      `POST ${base}/serviceaccounts/lonely/token`,
      bound('mine'),
      403,
      "no relationship found between node 'a' and this object",
    ],
    [
      'evicts a pod elsewhere',
      `POST ${base}/pods/other/eviction`,
      evict('other'),
      403,
      'node a can only evict pods with spec.nodeName set to itself',
    ],
    [
      'deletes a pod elsewhere',
      `DELETE ${base}/pods/other`,
      undefined,
      403,
      'node "a" can only delete pods with spec.nodeName set to itself',
    ],
    ['evicts its pod', `POST ${base}/pods/mine/eviction`, evict('mine'), 201, ''],
  ] as const) {
    const told = await asNode(line, body)
    t.equal(told.status, status, what)
    if (message !== '') t.match(told.body.message, message, what)
  }
  const { status } = await must(`POST ${base}/serviceaccounts/robot/token`, bound('other'))
  const { token: made } = status as unknown as { token: string }
  t.match(
    payloadOf(made)['kubernetes.io'],
    { node: { name: 'b' } },
    'a node that is not registered is named all the same',
  )
})

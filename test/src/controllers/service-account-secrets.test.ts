/** Tokens in secrets, and the CA in every namespace. Source: specification, "Methods" (service account tokens). */

import type { Test } from 'tap'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { ecKey, payloadOf, serviceAccountOptions } from '../../support/tokens.ts'
import { type TokenClient, tokenClient } from '../authn/token-client.ts'

const key = ecKey()
const rootCa = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const secrets = '/api/v1/namespaces/default/secrets'
const accounts = '/api/v1/namespaces/default/serviceaccounts'

function decoded(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString()
}

function tokenSecret(name: string, account: string, more: object = {}): object {
  return {
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account, ...more } },
    type: 'kubernetes.io/service-account-token',
  }
}

interface Secret {
  readonly metadata: {
    readonly annotations: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
}

async function filled({ ask }: TokenClient, name: string): Promise<Secret> {
  let secret: Secret | undefined
  await eventually(`${name} to be filled`, async () => {
    secret = (await ask(`GET ${secrets}/${name}`)).body as unknown as Secret
    return (secret.data?.['token'] ?? '') !== ''
  })
  if (secret === undefined) throw new Error('unreachable')
  return secret
}

async function gone(t: Test, { ask }: TokenClient, name: string, why: string): Promise<void> {
  await eventually(why, async () => (await ask(`GET ${secrets}/${name}`)).status === 404)
  t.pass(why)
}

t.test('a secret of the type is filled, and its token counts while both are there', async (t) => {
  const client = await tokenClient(t, { rootCa, serviceAccounts: serviceAccountOptions(key) })
  const { ask, must } = client
  const robot = await must(`POST ${accounts}`, { metadata: { name: 'robot' } })
  const { uid } = robot['metadata'] as unknown as { uid: string }
  await must(`POST ${secrets}`, tokenSecret('robot-token', 'robot'))
  const { metadata, data = {} } = await filled(client, 'robot-token')
  t.equal(metadata.annotations['kubernetes.io/service-account.uid'], uid)
  t.equal(decoded(data['ca.crt']), rootCa)
  t.equal(decoded(data['namespace']), 'default')
  const token = decoded(data['token'])
  t.same(payloadOf(token), {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'default',
    'kubernetes.io/serviceaccount/secret.name': 'robot-token',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: 'system:serviceaccount:default:robot',
  })
  const status = async (): Promise<number> => (await ask('GET /version', undefined, token)).status
  const today = (): string => new Date().toISOString().slice(0, 10)
  const firstDay = today()
  t.equal(await status(), 200)
  let label: string | undefined
  await eventually('the day of its use to be noted', async () => {
    label = (await filled(client, 'robot-token')).metadata.labels?.['kubernetes.io/legacy-token-last-used']
    return label !== undefined
  })
  t.ok([firstDay, today()].includes(label ?? ''), `noted ${label}`)

  const labelled = (value: string | null) => ({
    metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': value } },
  })
  await must(`PATCH ${secrets}/robot-token`, labelled('2026-01-01'))
  await eventually('the label to count', async () => (await status()) === 401)
  await must(`PATCH ${secrets}/robot-token`, labelled(null))
  await eventually('its absence to count', async () => (await status()) === 200)

  await must(`PATCH ${secrets}/robot-token`, { data: { token: Buffer.from('x').toString('base64') } })
  await eventually('a token to count only as it is kept', async () => (await status()) === 401)
  await must(`PATCH ${secrets}/robot-token`, { data: { token: data['token'] } })
  await eventually('the token to be back', async () => (await status()) === 200)

  await must(`DELETE ${secrets}/robot-token`)
  await eventually('the token to end with its secret', async () => (await status()) === 401)
})

t.test('secrets go with their account, and leave its list when they go', async (t) => {
  const client = await tokenClient(t, { rootCa, serviceAccounts: serviceAccountOptions(key) })
  const { ask, must } = client
  await must(`POST ${accounts}`, { metadata: { name: 'robot' }, secrets: [{ name: 'a' }, { name: 'b' }] })
  for (const name of ['a', 'b']) await must(`POST ${secrets}`, tokenSecret(name, 'robot'))
  await filled(client, 'a')
  await filled(client, 'b')
  await must(`DELETE ${secrets}/a`)
  await eventually('the list to be shorter', async () => {
    const { body } = await ask(`GET ${accounts}/robot`)
    return JSON.stringify(body['secrets']) === '[{"name":"b"}]'
  })
  await must(`DELETE ${accounts}/robot`)
  await gone(t, client, 'b', 'its account has gone')
  await must(`POST ${secrets}`, tokenSecret('orphan', 'nobody'))
  await gone(t, client, 'orphan', 'there is no such account')
  await must(`POST ${accounts}`, { metadata: { name: 'robot' } })
  const stale = { 'kubernetes.io/service-account.uid': 'another' }
  await must(`POST ${secrets}`, tokenSecret('stale', 'robot', stale))
  await gone(t, client, 'stale', 'it is for an account of that name that was there before')
})

t.test('without lookup the signature is enough', async (t) => {
  const client = await tokenClient(t, {
    rootCa,
    serviceAccounts: serviceAccountOptions(key, { lookup: false }),
  })
  await client.must(`POST ${accounts}`, { metadata: { name: 'robot' } })
  await client.must(`POST ${secrets}`, tokenSecret('robot-token', 'robot'))
  const token = decoded((await filled(client, 'robot-token')).data?.['token'])
  await client.must(`DELETE ${secrets}/robot-token`)
  t.equal((await client.ask('GET /version', undefined, token)).status, 200)
})

t.test('every namespace has the CA, whatever is done to it', async (t) => {
  const { ask, must } = await tokenClient(t, { rootCa })
  await must('POST /api/v1/namespaces', { metadata: { name: 'team' } })
  const has = (namespace: string) => async (): Promise<boolean> => {
    const { status, body } = await ask(`GET /api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`)
    return status === 200 && (body as unknown as Secret).data?.['ca.crt'] === rootCa
  }
  for (const namespace of ['default', 'kube-system', 'team']) await eventually(namespace, has(namespace))
  await must('DELETE /api/v1/namespaces/team/configmaps/kube-root-ca.crt')
  await eventually('it to be made again', has('team'))
  await must('PATCH /api/v1/namespaces/team/configmaps/kube-root-ca.crt', { data: { 'ca.crt': 'x', y: 'z' } })
  await eventually('it to be mended', has('team'))
  t.pass('it is there')
})

/**
 * Who gets in over real TLS, and what each may do: (credential × request → status), read like a policy. Then ways to
 * get more, each refused; and that nothing secret is in what the server printed meanwhile.
 *
 * Source: specification, "Authentication", "Authorization".
 */

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { createIssuer, type KeyPair } from '../../workers/pki/issue.ts'
import { type Asked, certificateRequest, signingRequest } from '../support/certificate-requests.ts'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess, temporaryDirectory } from '../support/server-process.ts'

interface Credential {
  readonly token?: string
  readonly certificate?: KeyPair
}

interface Told {
  readonly status: number
  readonly body: { readonly [field: string]: never } & { readonly message?: string }
}

type Client = (credential: Credential, line: string, body?: object) => Promise<Told>

function clientOf({ port, dataDir }: ServerProcess): Client {
  const ca = readFileSync(join(dataDir, 'pki/ca.crt'), 'utf8')
  return ({ token, certificate }, line, body) => {
    const [method = '', path = ''] = line.split(' ')
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path,
        method,
        ca,
        agent: false,
        ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.privateKey }),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      })
      sent.once('error', reject)
      sent.once('response', (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : {} }),
        )
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

const staticToken = 'static-token-of-jane'
const bootstrap = { id: 'abcdef', secret: '0123456789abcdef' }
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const accounts = '/api/v1/namespaces/default/serviceaccounts'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const clientUsages = ['digital signature', 'client auth']

interface Setting {
  readonly server: ServerProcess
  readonly call: Client
  readonly admin: Credential
  /** What must not be printed. */
  readonly secrets: string[]
}

async function start(t: Test): Promise<Setting> {
  const directory = temporaryDirectory(t)
  const tokens = join(directory, 'tokens.csv')
  writeFileSync(tokens, `${staticToken},jane,1,"developers"\n`)
  const server = await startServerProcess(t, {
    args: [
      ...['--workers', '1', '--log-level', 'debug', '--token-auth-file', tokens],
      ...['--enable-bootstrap-token-auth', 'true', '--controllers', '*,bootstrapsigner,tokencleaner'],
      ...['--enable-admission-plugins', 'NodeRestriction'],
    ],
  })
  const adminToken = readFileSync(join(server.dataDir, 'admin.token'), 'utf8').trim()
  const keys = ['pki/ca.key', 'pki/admin.key', 'pki/serving.key', 'service-account.key'].map((name) =>
    readFileSync(join(server.dataDir, name), 'utf8'),
  )
  return {
    server,
    call: clientOf(server),
    admin: { token: adminToken },
    secrets: [adminToken, staticToken, bootstrap.secret, ...keys.flatMap(linesOf)],
  }
}

/** The lines of a key that say something. */
function linesOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'))
}

async function must({ call, admin }: Setting, line: string, body?: object): Promise<Told['body']> {
  const { status, body: told } = await call(admin, line, body)
  if (status > 299) throw new Error(`${line}: ${status} ${told.message ?? ''}`)
  return told
}

async function tokenOf(setting: Setting, account: string, spec: object = {}): Promise<string> {
  const { status } = await must(setting, `POST ${accounts}/${account}/token`, { spec })
  const { token } = status as unknown as { token: string }
  setting.secrets.push(token)
  return token
}

/** Asks, approves and waits: the certificate that a person or a node has then. */
async function signed(
  setting: Setting,
  name: string,
  asked: Asked,
  signer: string,
  usages: readonly string[] = clientUsages,
): Promise<KeyPair> {
  const { request: pem, privateKey } = await certificateRequest(asked)
  setting.secrets.push(...linesOf(privateKey))
  const made = await must(setting, `POST ${csrs}`, signingRequest({ name, request: pem, signer, usages }))
  if (signer !== 'kube-apiserver-client-kubelet')
    await must(setting, `PUT ${csrs}/${name}/approval`, {
      ...made,
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] },
    })
  let certificate: string | undefined
  await eventually(`the certificate of ${name}`, async () => {
    const { status } = await must(setting, `GET ${csrs}/${name}`)
    certificate = (status as { certificate?: string } | undefined)?.certificate
    return certificate !== undefined
  })
  return { certificate: Buffer.from(certificate ?? '', 'base64').toString(), privateKey }
}

/** Made with the key of the cluster's CA, or of another. */
async function made({ server }: Setting, own: boolean, fromMs: number, untilMs: number): Promise<KeyPair> {
  const issuer = await createIssuer(randomBytes)
  const now = Date.now()
  const read = (name: string) => readFileSync(join(server.dataDir, 'pki', name), 'utf8')
  const ca = own
    ? { certificate: read('ca.crt'), privateKey: read('ca.key') }
    : await issuer.authority('kubernetes-ca', { fromMs: now - 1000, untilMs: now + 1_000_000 })
  return issuer.client(
    ca,
    { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
    { fromMs: now + fromMs, untilMs: now + untilMs },
  )
}

t.test('credentials over TLS', async (t) => {
  const setting = await start(t)
  const { call, server, secrets } = setting
  await must(setting, `POST ${accounts}`, { metadata: { name: 'robot' } })
  await must(setting, 'POST /api/v1/nodes', { metadata: { name: 'n1' } })
  await must(setting, 'POST /api/v1/namespaces/kube-system/secrets', {
    metadata: { name: `bootstrap-token-${bootstrap.id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': bootstrap.id,
      'token-secret': bootstrap.secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
    },
  })
  await must(setting, 'POST /api/v1/namespaces/default/secrets', {
    metadata: { name: 'robot-token', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
  })
  let legacy = ''
  await eventually('the token in the secret', async () => {
    const { data } = await must(setting, 'GET /api/v1/namespaces/default/secrets/robot-token')
    legacy = Buffer.from((data as { token?: string } | undefined)?.token ?? '', 'base64').toString()
    return legacy !== ''
  })
  secrets.push(legacy, Buffer.from(legacy).toString('base64'))
  const robot = await tokenOf(setting, 'robot')
  const vault = await tokenOf(setting, 'robot', { audiences: ['vault'] })
  const person = await signed(
    setting,
    'mary',
    { commonNames: ['mary'], organizations: ['developers'] },
    'kube-apiserver-client',
  )
  const nodeName: Asked = { commonNames: ['system:node:n1'], organizations: ['system:nodes'] }
  const node = await signed(setting, 'n1', nodeName, 'kube-apiserver-client-kubelet')
  const serving = await signed(
    setting,
    'n1-serving',
    { ...nodeName, names: [{ type: 'dns', value: 'n1' }] },
    'kubelet-serving',
    ['digital signature', 'server auth'],
  )
  const hour = 3_600_000

  const requests = [
    'GET /version',
    'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
    'GET /openid/v1/jwks',
    'GET /api/v1/nodes/n1',
    'GET /api/v1/namespaces/default/secrets',
  ] as const
  const rows: readonly (readonly [what: string, credential: Credential, statuses: readonly number[]])[] = [
    //                                                   version  self  jwks  node  secrets
    ['nobody', {}, [200, 403, 403, 403, 403]],
    ['the administrator by token', setting.admin, [200, 201, 200, 200, 200]],
    [
      'the administrator by certificate',
      { certificate: await made(setting, true, -hour, hour) },
      [200, 201, 200, 200, 200],
    ],
    ['a person by static token', { token: staticToken }, [200, 201, 403, 403, 403]],
    ['a person by certificate', { certificate: person }, [200, 201, 403, 403, 403]],
    ['a node by certificate', { certificate: node }, [200, 201, 403, 200, 403]],
    ['a service account', { token: robot }, [200, 201, 200, 403, 403]],
    ['a service account, token of a secret', { token: legacy }, [200, 201, 200, 403, 403]],
    ['a new node', { token: `${bootstrap.id}.${bootstrap.secret}` }, [200, 201, 403, 403, 403]],
    [
      'a person by certificate, and a service account',
      { certificate: person, token: robot },
      [200, 201, 403, 403, 403],
    ],

    ['a wrong token', { token: 'wrong' }, [401, 401, 401, 401, 401]],
    ['a token for somebody else', { token: vault }, [401, 401, 401, 401, 401]],
    [
      'a bootstrap token with another secret',
      { token: `${bootstrap.id}.0000000000000000` },
      [401, 401, 401, 401, 401],
    ],
    [
      'an expired certificate of the administrator',
      { certificate: await made(setting, true, -hour, -1000) },
      [401, 401, 401, 401, 401],
    ],
    [
      'one that is not valid yet',
      { certificate: await made(setting, true, hour, 2 * hour) },
      [401, 401, 401, 401, 401],
    ],
    [
      'one of another CA of the same name',
      { certificate: await made(setting, false, -hour, hour) },
      [401, 401, 401, 401, 401],
    ],
    ['a certificate to serve with', { certificate: serving }, [401, 401, 401, 401, 401]],
  ]
  for (const [what, credential, statuses] of rows) {
    const told: number[] = []
    for (const line of requests) {
      const body = line.startsWith('POST') ? {} : undefined
      told.push((await call(credential, line, body)).status)
    }
    t.same(told, statuses, what)
  }

  await t.test('ways to get more, each refused', async (t) => {
    const { request: masters } = await certificateRequest({
      commonNames: ['eve'],
      organizations: ['system:masters'],
    })
    const csr = signingRequest({
      name: 'eve',
      request: masters,
      signer: 'kube-apiserver-client',
      usages: clientUsages,
    })
    await must(setting, `POST ${rbac}/clusterroles`, {
      metadata: { name: 'eve' },
      rules: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests', 'certificatesigningrequests/approval'],
          verbs: ['create', 'get', 'update'],
        },
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterrolebindings'], verbs: ['create'] },
      ],
    })
    await must(setting, `POST ${rbac}/clusterrolebindings`, {
      metadata: { name: 'eve' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'eve' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    })
    const eve = { token: robot }
    await eventually('the binding to count', async () => (await call(eve, `GET ${csrs}/mary`)).status === 200)
    await must(setting, `POST ${accounts}`, { metadata: { name: 'boss' } })
    const bind = {
      metadata: { name: 'robot-rules' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    }
    const harmless = await certificateRequest({ commonNames: ['eve'] })
    await must(
      setting,
      `POST ${csrs}`,
      signingRequest({
        name: 'eve',
        request: harmless.request,
        signer: 'kube-apiserver-client',
        usages: clientUsages,
      }),
    )
    const open = await must(setting, `GET ${csrs}/eve`)
    const approved = { ...open, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] } }
    for (const [what, credential, line, body, message] of [
      [
        'the privileged group by a certificate request',
        setting.admin,
        `POST ${csrs}`,
        { ...csr, metadata: { name: 'eve2' } },
        'system:masters group is not allowed',
      ],
      [
        'to approve without the right on the signer',
        eve,
        `PUT ${csrs}/eve/approval`,
        approved,
        'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
      ],
      [
        'a token of another account',
        eve,
        `POST ${accounts}/boss/token`,
        {},
        'cannot create resource "serviceaccounts/token"',
      ],
      [
        'all rights by a binding',
        eve,
        `POST ${rbac}/clusterrolebindings`,
        bind,
        'is attempting to grant RBAC permissions not currently held',
      ],
      [
        'another node by a node',
        { certificate: node },
        'POST /api/v1/nodes',
        { metadata: { name: 'n2' } },
        'node "n1" is not allowed to modify node "n2"',
      ],
      [
        'a role by a node',
        { certificate: node },
        'PATCH /api/v1/nodes/n1',
        { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
        'is not allowed to modify labels: node-role.kubernetes.io/control-plane',
      ],
    ] as const) {
      const told = await send(call, credential, line, body)
      t.equal(told.status, 403, what)
      t.match(told.body.message, message, what)
    }
  })

  await t.test('nothing secret is printed', (t) => {
    const printed = server.output()
    t.match(printed, /is ready/, 'something is')
    for (const secret of secrets) t.notOk(printed.includes(secret), `nothing of ${secret.slice(0, 4)}…`)
    t.end()
  })
  t.equal(await server.stop(), 0)
})

function send(call: Client, credential: Credential, line: string, body: object): Promise<Told> {
  return line.startsWith('PATCH') ? patch(call, credential, line, body) : call(credential, line, body)
}

/** As an update of the whole object, which every transport and client can send. */
async function patch(call: Client, credential: Credential, line: string, body: object): Promise<Told> {
  const path = line.split(' ')[1] ?? ''
  const { body: old } = await call(credential, `GET ${path}`)
  const { metadata } = body as { metadata: object }
  return call(credential, `PUT ${path}`, {
    ...old,
    metadata: Object.assign({}, old['metadata'], metadata),
  })
}

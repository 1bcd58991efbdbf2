/** Certificate requests from their creation to a certificate. Source: specification, "Plugin behaviors". */

import { randomBytes, X509Certificate } from 'node:crypto'
import type { Test } from 'tap'
import t from 'tap'
import type { SigningCa } from '../../../src/certificates/authority.ts'
import { type CsrSigningOptions, forAll } from '../../../src/certificates/signing-options.ts'
import { createIssuer } from '../../../workers/pki/issue.ts'
import { type Asked, certificateRequest, signingRequest } from '../../support/certificate-requests.ts'
import { eventually } from '../../support/eventually.ts'
import { type TokenClient, tokenClient } from '../authn/token-client.ts'

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const dayMs = 86_400_000
const node: Asked = { commonNames: ['system:node:n1'], organizations: ['system:nodes'] }
const client = ['digital signature', 'client auth'] as const
const serving = ['digital signature', 'key encipherment', 'server auth'] as const

interface Condition {
  readonly type: string
  readonly reason?: string
  readonly message?: string
}

interface Request {
  readonly spec: { readonly username: string }
  readonly status: { readonly certificate?: string; readonly conditions?: readonly Condition[] }
}

async function authority(validMs: number): Promise<SigningCa> {
  const issuer = await createIssuer(randomBytes)
  const now = Date.now()
  return issuer.authority('test-ca', { fromMs: now - dayMs, untilMs: now + validMs })
}

async function signingServer(t: Test, validMs = 30 * dayMs): Promise<{ client: TokenClient; ca: SigningCa }> {
  const ca = await authority(validMs)
  const client = await tokenClient(t, { clusterSigning: () => ({ cas: forAll(ca), durationMs: 10 * dayMs }) })
  return { client, ca }
}

async function approve({ must }: TokenClient, name: string, type = 'Approved'): Promise<void> {
  const found = await must(`GET ${requests}/${name}`)
  await must(`PUT ${requests}/${name}/approval`, {
    ...found,
    status: { conditions: [{ type, status: 'True', reason: 'Test' }] },
  })
}

async function settled({ must }: TokenClient, name: string): Promise<Request> {
  let request: Request | undefined
  await eventually(`${name} to be signed or refused`, async () => {
    request = (await must(`GET ${requests}/${name}`)) as unknown as Request
    const { certificate, conditions = [] } = request.status ?? {}
    return certificate !== undefined || conditions.some(({ type }) => type === 'Failed')
  })
  if (request === undefined) throw new Error('unreachable')
  return request
}

function certificateOf({ status }: Request): X509Certificate | undefined {
  return status.certificate === undefined
    ? undefined
    : new X509Certificate(Buffer.from(status.certificate, 'base64'))
}

t.test('(signer × request → certificate, or why not)', async (t) => {
  const { client: server, ca } = await signingServer(t)
  const rows: readonly (readonly [string, string, Asked, readonly string[], string])[] = [
    ['a client', 'kube-apiserver-client', { commonNames: ['jane'], organizations: ['a', 'b'] }, client, ''],
    [
      'a client that serves',
      'kube-apiserver-client',
      { commonNames: ['jane'] },
      [...client, 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      'a client that signs others',
      'kube-apiserver-client',
      { commonNames: ['jane'] },
      [...client, 'cert sign'],
      'invalid usage for client certificate: cert sign',
    ],
    [
      'a client that is none',
      'kube-apiserver-client',
      { commonNames: ['jane'] },
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    ['a node', 'kube-apiserver-client-kubelet', node, client, ''],
    [
      'a node in two groups',
      'kube-apiserver-client-kubelet',
      { ...node, organizations: ['system:nodes', 'system:masters'] },
      client,
      'subject organization is not system:nodes',
    ],
    [
      'a node in another group',
      'kube-apiserver-client-kubelet',
      { ...node, organizations: ['system:masters'] },
      client,
      'subject organization is not system:nodes',
    ],
    [
      'a person as a node',
      'kube-apiserver-client-kubelet',
      { ...node, commonNames: ['admin'] },
      client,
      'subject common name does not begin with system:node:',
    ],
    [
      'a node with a name',
      'kube-apiserver-client-kubelet',
      { ...node, names: [{ type: 'dns', value: 'n1' }] },
      client,
      'DNS subjectAltNames are not allowed',
    ],
    [
      'a node with an address',
      'kube-apiserver-client-kubelet',
      { ...node, names: [{ type: 'ip', value: '10.0.0.1' }] },
      client,
      'IP subjectAltNames are not allowed',
    ],
    [
      'a node with more usages',
      'kube-apiserver-client-kubelet',
      node,
      [...client, 'server auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'a node that serves',
      'kubelet-serving',
      {
        ...node,
        names: [
          { type: 'dns', value: 'n1.example' },
          { type: 'ip', value: '10.0.0.1' },
        ],
      },
      serving,
      '',
    ],
    [
      'a node that serves under no name',
      'kubelet-serving',
      node,
      serving,
      'DNS or IP subjectAltName is required',
    ],
    [
      'a node that serves mail',
      'kubelet-serving',
      {
        ...node,
        names: [
          { type: 'ip', value: '10.0.0.1' },
          { type: 'email', value: 'a@b.example' },
        ],
      },
      serving,
      'Email subjectAltNames are not allowed',
    ],
    [
      'a node that serves and asks',
      'kubelet-serving',
      { ...node, names: [{ type: 'ip', value: '10.0.0.1' }] },
      client,
      'usages did not match [server auth digital signature key encipherment]',
    ],
  ]
  for (const [at, [what, signer, asked, usages, problem]] of rows.entries()) {
    const { request } = await certificateRequest(asked)
    const name = `r${at}`
    await server.must(
      `POST ${requests}`,
      signingRequest({ name, request, signer, usages, expirationSeconds: 3600 }),
    )
    // The controller may have approved a node's by itself.
    if (signer !== 'kube-apiserver-client-kubelet' || problem !== '') await approve(server, name)
    const done = await settled(server, name)
    const failed = done.status.conditions?.find(({ type }) => type === 'Failed')
    t.equal(failed?.message ?? '', problem, what)
    const certificate = certificateOf(done)
    t.equal(certificate !== undefined, problem === '', what)
    if (certificate === undefined) continue
    t.ok(certificate.verify(new X509Certificate(ca.certificate).publicKey), 'signed by the CA')
    t.equal(certificate.ca, false)
    t.same(certificate.subject.split('\n'), [
      ...(asked.organizations ?? []).map((one) => `O=${one}`),
      ...(asked.commonNames ?? []).map((one) => `CN=${one}`),
    ])
    t.equal(
      certificate.subjectAltName,
      asked.names === undefined ? undefined : 'DNS:n1.example, IP Address:10.0.0.1',
    )
  }
})

t.test('how long certificates live', async (t) => {
  const { client: server } = await signingServer(t, 5 * dayMs)
  const minute = 60
  for (const [what, expirationSeconds, seconds] of [
    ['as long as was asked for', 3600, 3600],
    ['a day, five minutes of which are over', 86_400, 86_400 - 5 * minute],
    ['no longer than the CA', undefined, 5 * 86_400],
    ['no longer than the CA, whatever is asked for', 365 * 86_400, 5 * 86_400],
  ] as const) {
    const { request } = await certificateRequest({ commonNames: ['jane'] })
    const name = `for-${expirationSeconds ?? 'ever'}`
    const asked = { name, request, signer: 'kube-apiserver-client', usages: client }
    await server.must(
      `POST ${requests}`,
      signingRequest(expirationSeconds === undefined ? asked : { ...asked, expirationSeconds }),
    )
    await approve(server, name)
    const certificate = certificateOf(await settled(server, name))
    const left = (Date.parse(certificate?.validTo ?? '') - Date.now()) / 1000
    t.ok(Math.abs(left - seconds) < 120, `${what}: ${left}`)
  }
  const { request } = await certificateRequest({ commonNames: ['jane'] })
  const brief = signingRequest({
    name: 'brief',
    request,
    signer: 'kube-apiserver-client',
    usages: client,
    expirationSeconds: 599,
  })
  t.equal((await server.ask(`POST ${requests}`, brief)).status, 422, 'less than ten minutes is refused')
})

t.test('nobody gets what nobody approved', async (t) => {
  const { client: server } = await signingServer(t)
  for (const name of ['open', 'denied', 'foreign', 'marker']) {
    const { request } = await certificateRequest({ commonNames: ['jane'] })
    const body = signingRequest({ name, request, signer: 'kube-apiserver-client', usages: client })
    if (name === 'foreign')
      Object.assign((body as { spec: object }).spec, { signerName: 'example.com/other' })
    await server.must(`POST ${requests}`, body)
  }
  await approve(server, 'denied', 'Denied')
  await approve(server, 'foreign')
  await approve(server, 'marker')
  await settled(server, 'marker')
  for (const name of ['open', 'denied', 'foreign']) {
    const { status } = (await server.must(`GET ${requests}/${name}`)) as unknown as Request
    t.equal(status?.certificate, undefined, name)
  }
})

t.test('requests that are refused at once', async (t) => {
  const { client: server } = await signingServer(t)
  const right = await certificateRequest({ commonNames: ['jane'] })
  const masters = await certificateRequest({ commonNames: ['jane'], organizations: ['system:masters'] })
  const among = await certificateRequest({ commonNames: ['jane'], organizations: ['devs', 'system:masters'] })
  const double = await certificateRequest({ commonNames: ['jane', 'admin'] })
  const lines = right.request.split('\n')
  const broken = [
    ...lines.slice(0, 3),
    lines[3]?.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
    ...lines.slice(4),
  ].join('\n')
  for (const [what, request, status, message] of [
    ['no request at all', 'hello', 422, 'PEM block type must be CERTIFICATE REQUEST'],
    [
      'a certificate',
      right.request.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
      422,
      'PEM block type must be CERTIFICATE REQUEST',
    ],
    ['a request that somebody changed', broken, 422, 'unable to parse csr: '],
    ['two common names', double.request, 422, 'the subject has more than one common name'],
    [
      'the privileged group',
      masters.request,
      403,
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ],
    ['the privileged group among others', among.request, 403, 'system:masters group is not allowed'],
    [
      'the privileged group first, a harmless request behind it',
      masters.request + right.request,
      403,
      'system:masters group is not allowed',
    ],
  ] as const) {
    const body = signingRequest({ name: 'r', request, signer: 'kube-apiserver-client', usages: client })
    const told = await server.ask(`POST ${requests}`, body)
    t.equal(told.status, status, what)
    t.match(told.body.message, message, what)
  }
  const behind = signingRequest({
    name: 'behind',
    request: right.request + masters.request,
    signer: 'kube-apiserver-client',
    usages: client,
  })
  await server.must(`POST ${requests}`, behind)
  await approve(server, 'behind')
  t.equal(
    certificateOf(await settled(server, 'behind'))?.subject,
    'CN=jane',
    'what was judged is what is signed',
  )
})

t.test('a request that is made to be slow to read is refused at once', async (t) => {
  const { client: server } = await signingServer(t)
  const begin = '-----BEGIN CERTIFICATE REQUEST-----\n'
  const request = begin.repeat(Math.floor(1_000_000 / begin.length))
  const body = signingRequest({ name: 'r', request, signer: 'kube-apiserver-client', usages: client })
  const startMs = performance.now()
  const told = await server.ask(`POST ${requests}`, body)
  t.equal(told.status, 422)
  t.ok(performance.now() - startMs < 5000, 'it does not take minutes')
})

t.test('nodes get their own certificates without anybody', async (t) => {
  const { client: server } = await signingServer(t)
  const { request } = await certificateRequest(node)
  const body = (name: string) =>
    signingRequest({ name, request, signer: 'kube-apiserver-client-kubelet', usages: client })
  await server.must('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'bootstrap' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'joiner' }],
  })
  await server.must('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'renewal' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
  })
  await server.must('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'csr-maker' },
    rules: [
      { verbs: ['create'], apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'] },
    ],
  })
  await server.must('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'csr-makers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'csr-maker' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  })
  const as = (user: string, group: string) => ({ 'impersonate-user': user, 'impersonate-group': group })
  const ask = async (name: string, user: string, group = 'system:authenticated') =>
    eventually(`${user} may ask`, async () => {
      const made = await server.server.request({
        method: 'POST',
        target: requests,
        headers: as(user, group),
        body: body(name),
      })
      return made.status === 201 || made.status === 409
    })
  await ask('stranger', 'stranger')
  await ask('other-node', 'system:node:n2', 'system:nodes')
  await ask('join', 'joiner')
  await ask('renew', 'system:node:n1', 'system:nodes')
  for (const name of ['join', 'renew']) {
    const { spec, status } = await settled(server, name)
    t.match(status.conditions, [{ type: 'Approved', reason: 'AutoApproved' }], `${name} by ${spec.username}`)
  }
  for (const name of ['stranger', 'other-node']) {
    const { status } = (await server.must(`GET ${requests}/${name}`)) as unknown as Request
    t.same(status ?? {}, {}, `${name} waits for somebody who decides`)
  }
})

t.test('who signs does not decide, and who decides does not sign', async (t) => {
  const { client: server } = await signingServer(t)
  const { request } = await certificateRequest({ commonNames: ['jane'] })
  await server.must(
    `POST ${requests}`,
    signingRequest({ name: 'r', request, signer: 'kube-apiserver-client', usages: client }),
  )
  const found = await server.must(`GET ${requests}/r`)
  const decided = { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] }
  const through = async (path: string, status: object) =>
    server.ask(`PUT ${requests}/r${path}`, { ...found, status })
  t.match(await through('/status', decided), {
    status: 422,
    body: { message: /updates may not add a condition of type "Approved"/ },
  })
  const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString(
    'base64',
  )
  for (const path of ['', '/approval']) {
    const told = await through(path, { certificate })
    t.equal(told.status, 200)
    t.notMatch(
      JSON.stringify(told.body['status'] ?? {}),
      /certificate/,
      `nothing is signed through ${path || 'the object'}`,
    )
  }
})

t.test('a CA for each signer: its own signs, and what has none stays with others', async (t) => {
  const [first, second, renewed] = [
    await authority(30 * dayMs),
    await authority(30 * dayMs),
    await authority(30 * dayMs),
  ]
  let options: CsrSigningOptions = {
    durationMs: dayMs,
    cas: { 'kube-apiserver-client': first, 'kubelet-serving': second },
  }
  const server = await tokenClient(t, { clusterSigning: () => options })
  let made = 0
  async function ask(signer: string, asked: Asked, usages: readonly string[]): Promise<string> {
    const name = `s${++made}`
    const { request } = await certificateRequest(asked)
    await server.must(`POST ${requests}`, signingRequest({ name, request, signer, usages }))
    await approve(server, name)
    return name
  }
  const signedBy = async (name: string): Promise<number> => {
    const certificate = certificateOf(await settled(server, name))
    return [first, second, renewed].findIndex(
      (ca) => certificate?.verify(new X509Certificate(ca.certificate).publicKey) === true,
    )
  }
  const jane = { commonNames: ['jane'] }
  const served = { ...node, names: [{ type: 'ip', value: '10.0.0.1' } as const] }
  const withoutCa = await ask('kube-apiserver-client-kubelet', node, client)
  t.equal(await signedBy(await ask('kube-apiserver-client', jane, client)), 0)
  t.equal(await signedBy(await ask('kubelet-serving', served, serving)), 1)
  options = { ...options, cas: { ...options.cas, 'kube-apiserver-client': renewed } }
  t.equal(await signedBy(await ask('kube-apiserver-client', jane, client)), 2, 'a CA that was renewed')
  const left = (await server.must(`GET ${requests}/${withoutCa}`)) as unknown as Request
  t.equal(left.status.certificate, undefined, 'approved, and not signed')
})

/** The keys of service account tokens, from files and from the data directory. Source: specification, "Methods". */

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { createNames } from '../../src/names/names.ts'
import { openClusterSigning } from '../../workers/cluster-signing.ts'
import { type ControlPlane, startControlPlane } from '../../workers/embed.ts'
import {
  defaultServiceAccountConfig,
  type ServiceAccountConfig,
} from '../../workers/flags/service-accounts.ts'
import { openServiceAccounts, publishedUnder } from '../../workers/service-accounts.ts'
import { temporaryDirectory } from '../support/server-process.ts'
import { ecKey, rsaKey } from '../support/tokens.ts'

function call(
  { url, ca }: ControlPlane,
  line: string,
  token: string,
): Promise<{ status: number; body: string }> {
  const [method = '', path = ''] = line.split(' ')
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    }
    const sent = request(url + path, { ca, method, headers, agent: false })
    sent.once('error', reject)
    sent.once('response', (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    sent.end(method === 'POST' ? '{}' : undefined)
  })
}

t.test('a key is made once, and tokens outlive a restart as long as it is there', async (t) => {
  const dataDir = temporaryDirectory(t)
  const path = join(dataDir, 'service-account.key')
  const first = await startControlPlane({ dataDir })
  const issue = 'POST /api/v1/namespaces/default/serviceaccounts/default/token'
  const made = await call(first, issue, first.token)
  t.equal(made.status, 201)
  const { token } = JSON.parse(made.body).status
  t.equal(statSync(path).mode & 0o777, 0o600)
  const key = readFileSync(path, 'utf8')
  await first.stop()

  const second = await startControlPlane({ dataDir })
  t.equal((await call(second, 'GET /version', token)).status, 200)
  t.equal(readFileSync(path, 'utf8'), key)
  await second.stop()

  rmSync(path)
  const third = await startControlPlane({ dataDir })
  t.equal((await call(third, 'GET /version', token)).status, 401, 'another key: the token is void')
  await third.stop()

  writeFileSync(path, key.slice(0, 80))
  await t.rejects(startControlPlane({ dataDir }), /service-account\.key: holds no private key in PEM form/)
})

t.test('(files → keys, or what is wrong with which)', async (t) => {
  const directory = temporaryDirectory(t)
  const [ec, rsa, old] = [ecKey(), rsaKey(), rsaKey()]
  const file = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const paths = {
    ec: file('ec.key', ec.privatePem),
    both: file('both.pub', rsa.publicPem + old.publicPem),
    empty: file('empty.pub', ''),
    odd: file('odd.pub', 'hello'),
    public: file('ec.pub', ec.publicPem),
  }
  const open = (config: Partial<ServiceAccountConfig>, tlsKey?: string) =>
    openServiceAccounts({
      dataDir: directory,
      names: createNames('cluster'),
      config: { ...defaultServiceAccountConfig, ...config },
      tlsKey,
    })
  const signed = { signingKeyFile: paths.ec }
  t.match(await open(signed), {
    ok: true,
    value: {
      options: {
        issuers: ['https://cluster.default.svc.cluster.local'],
        signingKey: ec.privatePem,
        verificationKeys: [],
      },
      made: [],
    },
  })
  t.match(await open({ ...signed, keyFiles: [paths.both] }), {
    value: { options: { verificationKeys: [rsa.publicPem + old.publicPem] } },
  })
  t.match(
    await open(signed, rsa.privatePem),
    { value: { options: { verificationKeys: [rsa.privatePem] } } },
    'the TLS key',
  )
  t.match(await open({ ...signed, keyFiles: [paths.both] }, rsa.privatePem), {
    value: { options: { verificationKeys: [rsa.publicPem + old.publicPem] } },
  })
  const opened = await open(signed)
  if (!opened.ok) throw new Error(opened.failure)
  const { options } = opened.value
  for (const [jwksUri, host, published] of [
    ['', undefined, ''],
    ['', 'api.example', 'https://api.example:6443/openid/v1/jwks'],
    ['https://keys.example', 'api.example', 'https://keys.example'],
  ] as const) {
    t.equal(publishedUnder({ ...options, jwksUri }, host, 6443).jwksUri, published)
  }
  for (const [what, config, failure] of [
    ['a missing key', { signingKeyFile: '/absent' }, /^--service-account-signing-key-file \/absent: ENOENT/],
    [
      'an empty key',
      { signingKeyFile: paths.empty },
      /^--service-account-signing-key-file .*empty\.pub: holds no private key/,
    ],
    [
      'a public key to sign with',
      { signingKeyFile: paths.public },
      /ec\.pub: holds no private key in PEM form/,
    ],
    [
      'one missing file of two',
      { ...signed, keyFiles: [paths.both, '/absent'] },
      /^--service-account-key-file \/absent: ENOENT/,
    ],
    [
      'an empty file',
      { ...signed, keyFiles: [paths.empty] },
      /^--service-account-key-file .*empty\.pub: holds no RSA or ECDSA key/,
    ],
    [
      'something else',
      { ...signed, keyFiles: [paths.odd] },
      /^--service-account-key-file .*odd\.pub: holds no RSA or ECDSA key/,
    ],
  ] as const) {
    t.match(await open(config), { ok: false, failure }, what)
  }
})

t.test('the CA that signs for others, from files', async (t: Test) => {
  const dataDir = temporaryDirectory(t)
  const plane = await startControlPlane({ dataDir })
  await plane.stop()
  const pki = (name: string): string => join(dataDir, 'pki', name)
  const open = (certificate: string, privateKey: string) =>
    openClusterSigning(
      { source: { type: 'common', files: { certificate, privateKey } }, durationMs: 1000 },
      undefined,
    )
  t.match(await open(pki('ca.crt'), pki('ca.key')), { ok: true, value: { durationMs: 1000 } })
  for (const [certificate, key, problem] of [
    [pki('admin.crt'), pki('admin.key'), /the certificate is not one of a CA$/],
    [pki('ca.crt'), pki('admin.key'), /certificate and key do not belong together$/],
    [pki('ca.key'), pki('ca.key'), /not a certificate and a key/],
    ['/absent', pki('ca.key'), /^--cluster-signing-cert-file \/absent: ENOENT/],
    [pki('ca.crt'), '/absent', /^--cluster-signing-key-file \/absent: ENOENT/],
  ] as const) {
    t.match(await open(certificate, key), { ok: false, failure: problem })
  }
  t.same(await openClusterSigning({ source: { type: 'own' }, durationMs: 1 }, undefined), {
    ok: true,
    value: undefined,
  })
  const [ca, admin] = [
    { certificate: pki('ca.crt'), privateKey: pki('ca.key') },
    { certificate: pki('admin.crt'), privateKey: pki('admin.key') },
  ]
  const specific = (files: Readonly<Record<string, typeof ca>>) =>
    openClusterSigning({ source: { type: 'specific', files }, durationMs: 1 }, undefined)
  const opened = await specific({ 'kubelet-serving': ca, 'legacy-unknown': ca })
  t.same(opened.ok && Object.keys(opened.value?.cas ?? {}), ['kubelet-serving', 'legacy-unknown'])
  t.match(await specific({ 'kubelet-client': admin }), {
    ok: false,
    failure: /^--cluster-signing-kubelet-client-cert-file .* is not one of a CA$/,
  })
})

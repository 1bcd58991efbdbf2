import { randomBytes, X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createNames } from '../../src/names/names.ts'
import { missingNames } from '../../workers/pki/inspect.ts'
import { openPki, type Pki, type PkiOptions } from '../../workers/pki/pki.ts'
import { servingNames } from '../../workers/pki/serving-names.ts'
import { temporaryDirectory } from '../support/server-process.ts'

const dayMs = 86_400_000
const nowMs = Date.parse('2026-01-01T00:00:00Z')

async function open(dataDir: string, given: Partial<PkiOptions> = {}): Promise<Pki> {
  const result = await openPki({ ...options(dataDir), ...given })
  if (!result.ok) throw new Error(result.failure.message)
  await result.value.save()
  return result.value
}

function options(dataDir: string): PkiOptions {
  return { dataDir, product: 'cluster', servingNames: ['localhost', '127.0.0.1', '::1'], nowMs, randomBytes }
}

t.test('the first start makes everything, for its owner alone', async (t) => {
  const dataDir = temporaryDirectory(t)
  const pki = await open(dataDir)
  t.same(pki.made, ['CA', 'serving certificate', 'administrator certificate'])
  t.same(readdirSync(dataDir).sort(), ['admin.token', 'pki'])
  t.same(readdirSync(join(dataDir, 'pki')).sort(), [
    'admin.crt',
    'admin.key',
    'ca.crt',
    'ca.key',
    'serving.crt',
    'serving.key',
  ])
  for (const secret of ['admin.token', 'pki/admin.key', 'pki/ca.key', 'pki/serving.key'])
    t.equal(statSync(join(dataDir, secret)).mode & 0o777, 0o600, secret)
  t.equal(statSync(join(dataDir, 'pki')).mode & 0o777, 0o700)

  const ca = new X509Certificate(pki.ca)
  const serving = new X509Certificate(pki.serving.certificate)
  const admin = new X509Certificate(pki.admin.certificate)
  t.equal(ca.ca, true)
  t.equal(serving.ca, false)
  for (const leaf of [serving, admin]) t.ok(leaf.checkIssued(ca) && leaf.verify(ca.publicKey))
  t.same(missingNames(serving, ['localhost', '127.0.0.1', '::1']), [])
  t.same(missingNames(serving, ['elsewhere', '10.0.0.1']), ['elsewhere', '10.0.0.1'])
  t.equal(admin.subject, 'O=system:masters\nCN=cluster-admin')
  t.equal(Date.parse(serving.validTo) - nowMs, 730 * dayMs)
})

t.test('later starts keep it, and renew what is due', async (t) => {
  const dataDir = temporaryDirectory(t)
  const first = await open(dataDir)
  const again = await open(dataDir)
  for (const part of ['ca', 'serving', 'admin', 'adminToken'] as const) t.same(again[part], first[part], part)
  t.same(again.made, [])

  const names = ['localhost', '127.0.0.1', '::1', 'new.example']
  const renamed = await open(dataDir, { servingNames: names })
  t.same(renamed.made, ['serving certificate (for new.example)'])
  t.same(missingNames(new X509Certificate(renamed.serving.certificate), names), [])
  t.same(renamed.admin, first.admin)

  const later = await open(dataDir, { nowMs: nowMs + 600 * dayMs })
  t.same(later.made, ['serving certificate (expires soon)', 'administrator certificate (expires soon)'])
  t.equal(later.ca, first.ca, 'the CA stays')
  t.equal(later.adminToken, first.adminToken)
})

t.test('what is damaged is named; what can be made again is made', async (t) => {
  const whole = temporaryDirectory(t)
  await open(whole)
  const rows: readonly [
    name: string,
    change: (path: string) => void,
    file: string,
    expected: RegExp | string[],
  ][] = [
    [
      'no certificate',
      (path) => writeFileSync(path, 'junk'),
      'pki/ca.crt',
      /pki\/ca.crt: holds no certificate/,
    ],
    [
      'no key',
      (path) => writeFileSync(path, ''),
      'pki/serving.key',
      /pki\/serving.key: holds no private key/,
    ],
    ['a key is gone', (path) => rmSync(path), 'pki/admin.key', /pki\/admin.key: is missing/],
    ['a certificate is gone', (path) => rmSync(path), 'pki/serving.crt', /pki\/serving.crt: is missing/],
    [
      'the key of another',
      (path) => writeFileSync(path, readFileSync(join(whole, 'pki/admin.key'))),
      'pki/ca.key',
      /pki\/ca.key: is not the private key of .*pki\/ca.crt/,
    ],
    ['an empty token', (path) => writeFileSync(path, '\n'), 'admin.token', /admin.token: holds no token/],
    [
      'torn while it was renewed',
      (path) => writeFileSync(path, readFileSync(join(whole, 'pki/admin.key'))),
      'pki/serving.key',
      ['serving certificate (was missing or half written)'],
    ],
  ]
  for (const [name, change, file, expected] of rows) {
    const dataDir = temporaryDirectory(t)
    await open(dataDir)
    change(join(dataDir, file))
    const result = await openPki(options(dataDir))
    if (result.ok) t.same(result.value.made, expected, name)
    else t.match(result.failure.message, expected, name)
  }
})

t.test('the names of the serving certificate', (t) => {
  t.strictSame(
    servingNames({
      names: createNames('kubernetes'),
      hostname: 'Host_1',
      interfaceAddresses: ['127.0.0.1', '10.1.2.3', 'fe80::1%eth0'],
      given: ['0.0.0.0', '::', 'api.example', 'not a name', 'localhost'],
    }),
    [
      'localhost',
      'Host_1',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      'fe80::1',
      'api.example',
    ],
  )
  t.end()
})

/** Rights on signers, and the one certificate that nobody may ask for. */

import t from 'tap'
import { createCertificateSubjectRestriction } from '../../../src/admission/plugins/certificate-subject-restriction.ts'
import {
  createCertificateApproval,
  createCertificateSigning,
  createClusterTrustBundleAttest,
} from '../../../src/admission/plugins/certificates.ts'
import type { Authorizer } from '../../../src/authz/authorizer.ts'
import { names } from '../types/types.ts'
import { attempt } from './trial.ts'

/** Allows what is listed: `approve example.com/a`. */
const allowing = (...rights: readonly string[]): Authorizer => ({
  authorize: ({ request }) => ({
    decision:
      request.type === 'resource' &&
      request.group === 'certificates.k8s.io' &&
      request.resource === 'signers' &&
      rights.includes(`${request.verb} ${request.name}`)
        ? 'allow'
        : 'noOpinion',
    reason: '',
  }),
})

const kind = 'certificates.k8s.io/v1 CertificateSigningRequest'
const request = (status: object = {}): object => ({
  metadata: { name: 'r' },
  spec: { signerName: 'example.com/a' },
  status,
})
const refused = 'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to'
const update = { kind, operation: 'UPDATE' as const, old: request() }

t.test('approval', async (t) => {
  const trial = { ...update, subresource: 'approval', object: request() }
  const under = (...rights: readonly string[]) =>
    attempt(createCertificateApproval(names, allowing(...rights)), trial)
  t.equal(await under('approve example.com/b'), `${refused} approve requests with signerName "example.com/a"`)
  t.match(await under('approve example.com/a'), request(), 'by name')
  t.match(await under('approve example.com/*'), request(), 'by domain')
})

t.test('signing', async (t) => {
  const plugin = createCertificateSigning(names, allowing())
  const trial = { ...update, subresource: 'status' }
  const why = `${refused} sign requests with signerName "example.com/a"`
  t.equal(await attempt(plugin, { ...trial, object: request({ certificate: 'QQ==' }) }), why)
  t.equal(await attempt(plugin, { ...trial, object: request({ conditions: [{ type: 'Failed' }] }) }), why)
  t.match(await attempt(plugin, { ...trial, object: request() }), request(), 'nothing is signed')
})

t.test('attesting', async (t) => {
  const plugin = createClusterTrustBundleAttest(names, allowing('attest example.com/b'))
  const bundle = (signerName: string) => ({
    kind: 'certificates.k8s.io/v1alpha1 ClusterTrustBundle',
    object: { metadata: { name: 'b' }, spec: { signerName } },
  })
  t.equal(
    await attempt(plugin, bundle('example.com/a')),
    'clustertrustbundles.certificates.k8s.io "b" is forbidden: user not permitted to attest for signerName "example.com/a"',
  )
  t.match(await attempt(plugin, bundle('example.com/b')), { metadata: { name: 'b' } })
  t.match(await attempt(plugin, bundle('')), { metadata: { name: 'b' } })
})

async function signingRequest(subject: string): Promise<string> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(globalThis.crypto)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await globalThis.crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
  })
  return Buffer.from(made.toString('pem')).toString('base64')
}

t.test('subjects', async (t) => {
  const plugin = createCertificateSubjectRestriction(names)
  const asked = (signerName: string, bytes: string) =>
    attempt(plugin, { kind, object: { metadata: { name: 'r' }, spec: { signerName, request: bytes } } })
  const clients = 'kubernetes.io/kube-apiserver-client'
  const forbidden = 'certificatesigningrequests.certificates.k8s.io "r" is forbidden:'
  const masters = await signingRequest('CN=jane,O=developers,O=system:masters')
  t.equal(
    await asked(clients, masters),
    `${forbidden} use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`,
  )
  t.match(
    await asked('example.com/a', masters),
    { metadata: { name: 'r' } },
    'other signers decide themselves',
  )
  t.match(await asked(clients, await signingRequest('CN=jane,O=developers')), { metadata: { name: 'r' } })
  t.equal(
    await asked(clients, Buffer.from('nonsense').toString('base64')),
    `${forbidden} unable to parse csr: PEM block type must be CERTIFICATE REQUEST`,
  )
})

/** Certificates made by hand, read by two that know them: OpenSSL through Node, and a library. */

import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import t from 'tap'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { der, readElements } from '../../workers/pki/der.ts'
import { createIssuer, type KeyPair } from '../../workers/pki/issue.ts'

const issuer = createIssuer(randomBytes)
const validity = { fromMs: Date.UTC(2026, 0, 2, 3, 4, 5), untilMs: Date.UTC(2036, 5, 7, 8, 9, 10) }
const ca = await issuer.authority('a-ca', validity)
const read = ({ certificate }: KeyPair) => new X509Certificate(certificate)

t.test('the CA signs itself, and may sign certificates but no CA', async (t) => {
  const certificate = read(ca)
  t.ok(certificate.ca)
  t.ok(certificate.verify(certificate.publicKey))
  t.ok(certificate.checkIssued(certificate))
  t.equal(certificate.subject, 'CN=a-ca')
  t.equal(certificate.validFrom, 'Jan  2 03:04:05 2026 GMT')
  t.equal(certificate.validTo, 'Jun  7 08:09:10 2036 GMT')
  const parsed = new x509.X509Certificate(ca.certificate)
  t.equal(parsed.getExtension(x509.BasicConstraintsExtension)?.pathLength, 0)
  const usage = parsed.getExtension(x509.KeyUsagesExtension)
  t.equal(usage?.usages, x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign)
  t.ok(usage?.critical)
})

t.test('a serving certificate is for its names', async (t) => {
  const names = ['node-1.example', 'localhost', '127.0.0.1', '2001:db8::7']
  const certificate = read(await issuer.serving(ca, names, validity))
  t.ok(certificate.checkIssued(read(ca)))
  t.ok(certificate.verify(read(ca).publicKey))
  t.notOk(certificate.ca)
  t.equal(certificate.subject, 'CN=node-1.example')
  t.same(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  for (const name of ['node-1.example', 'localhost']) t.equal(certificate.checkHost(name), name)
  for (const address of ['127.0.0.1', '2001:db8::7']) t.equal(certificate.checkIP(address), address)
  t.equal(certificate.checkIP('127.0.0.2'), undefined)
  t.equal(certificate.checkHost('elsewhere.example'), undefined)
})

t.test('a client certificate says who and of which groups, in this order', async (t) => {
  const organizations = ['system:masters', 'grün']
  const pair = await issuer.client(ca, { commonName: 'jane', organizations }, validity)
  t.ok(read(pair).verify(read(ca).publicKey))
  t.same(new x509.X509Certificate(pair.certificate).subjectName.toJSON(), [
    { O: ['system:masters'] },
    { O: ['grün'] },
    { CN: ['jane'] },
  ])
  t.same(read(pair).keyUsage, ['1.3.6.1.5.5.7.3.2'])
})

t.test('a member is server and client', async (t) => {
  const certificate = read(await issuer.peer(ca, ['node-2'], validity))
  t.same(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  t.equal(certificate.checkHost('node-2'), 'node-2')
})

t.test('a CA that others have made is called as it calls itself and its key', async (t) => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await globalThis.crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const keyIdentifier = createHash('sha256').update('another way').digest('hex').slice(0, 40)
  const foreign = async (extensions: x509.Extension[]): Promise<KeyPair> => {
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      // Names not encoded as they are here.
      name: 'C=DE, CN=Foreign',
      notBefore: new Date(validity.fromMs),
      notAfter: new Date(validity.untilMs),
      signingAlgorithm: algorithm,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 0, true), ...extensions],
    })
    const key = await globalThis.crypto.subtle.exportKey('pkcs8', keys.privateKey)
    const privateKey = x509.PemConverter.encode(key, 'PRIVATE KEY')
    return { certificate: certificate.toString('pem'), privateKey }
  }
  for (const extensions of [[], [new x509.SubjectKeyIdentifierExtension(keyIdentifier)]]) {
    const other = await foreign(extensions)
    const pair = await issuer.serving(other, ['localhost'], validity)
    t.ok(read(pair).checkIssued(read(other)))
    t.ok(read(pair).verify(read(other).publicKey))
    t.equal(new x509.X509Certificate(pair.certificate).issuer, 'C=DE, CN=Foreign')
    const named = new x509.X509Certificate(pair.certificate).getExtension(
      x509.AuthorityKeyIdentifierExtension,
    )
    if (extensions.length > 0) t.equal(named?.keyId, keyIdentifier)
  }
})

t.test('DER: lengths, signs, times', async (t) => {
  for (const length of [0, 127, 128, 255, 256, 65_535, 65_536]) {
    const whole = der.octetString(Buffer.alloc(length, 7))
    const [only, ...others] = readElements(whole)
    t.same(others, [])
    t.equal(only?.content.length, length)
    t.equal(only?.whole.length, whole.length)
  }
  const table: readonly (readonly [Buffer, string])[] = [
    [der.integer(Buffer.from([0x7f])), '02017f'],
    [der.integer(Buffer.from([0x80])), '02020080'],
    [der.objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    [der.time(Date.UTC(2049, 11, 31, 23, 59, 59)), `170d${Buffer.from('491231235959Z').toString('hex')}`],
    [der.time(Date.UTC(2050, 0, 1)), `180f${Buffer.from('20500101000000Z').toString('hex')}`],
    [der.bitString(Buffer.from([0x80]), 7), '03020780'],
  ]
  for (const [bytes, hex] of table) t.equal(bytes.toString('hex'), hex)
  t.throws(() => readElements(Buffer.from('0405aa', 'hex')), /cut short/)
  t.throws(() => readElements(Buffer.from('0485', 'hex')), /not DER/)
})

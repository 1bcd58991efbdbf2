import t from 'tap'
import { readSigningKey, readVerificationKeys } from '../../../src/authn/service-account/keys.ts'
import { ecKey, rsaKey } from '../../support/tokens.ts'

const [p256, p384, p521, rsa, short] = [ecKey(), ecKey('P-384'), ecKey('P-521'), rsaKey(), rsaKey(1024)]
const odd = ecKey('secp256k1')

t.test('keys that verify, by file', (t) => {
  for (const [what, text, algorithms] of [
    ['a public key', p256.publicPem, ['ES256']],
    ['a private key', p384.privatePem, ['ES384']],
    [
      'several of all kinds',
      `${p256.publicPem}\n${p521.privatePem} # old\n${rsa.publicPem}`,
      ['ES256', 'ES512', 'RS256'],
    ],
    ['PKCS #1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(), ['RS256']],
    [
      'SEC 1, behind its parameters',
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${p256.privateKey.export({ type: 'sec1', format: 'pem' })}`,
      ['ES256'],
    ],
  ] as const) {
    const read = readVerificationKeys(text)
    t.same(read.ok ? read.value.map(({ algorithm }) => algorithm) : read.failure, algorithms, what)
  }
  for (const [what, text, failure] of [
    ['an empty file', '', 'holds no RSA or ECDSA key in PEM form'],
    ['something else', 'hello', 'holds no RSA or ECDSA key in PEM form'],
    [
      'a short key',
      short.publicPem,
      'block 1 (PUBLIC KEY) is an RSA key of 1024 bits, and must have at least 2048',
    ],
    [
      'an odd curve',
      odd.publicPem,
      'block 1 (PUBLIC KEY) must be an RSA key or an ECDSA key on the curve P-256, P-384 or P-521',
    ],
    [
      'a damaged second key',
      `${p256.publicPem}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n`,
      'block 2 (PUBLIC KEY) is damaged or encrypted',
    ],
  ] as const) {
    t.same(readVerificationKeys(text), { ok: false, failure }, what)
  }
  t.end()
})

t.test('the key that signs', (t) => {
  const read = readSigningKey(p256.privatePem)
  t.match(read, { ok: true, value: { verification: { id: p256.id, algorithm: 'ES256' } } })
  for (const [what, text, failure] of [
    ['a public key', p256.publicPem, 'holds no private key in PEM form'],
    ['two keys', p256.privatePem + rsa.privatePem, 'holds more than one private key'],
    [
      'a damaged key',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
      'holds a private key that is damaged or encrypted',
    ],
  ] as const) {
    t.same(readSigningKey(text), { ok: false, failure }, what)
  }
  t.end()
})

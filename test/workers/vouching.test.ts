/** Chains of certificates, and who vouches for their ends. */

import { type webcrypto, X509Certificate } from 'node:crypto'
import { Agent, request } from 'node:https'
import { createServer, type TLSSocket } from 'node:tls'
import t from 'tap'
import { isVouchedFor } from '../../workers/http/vouching.ts'
import { createTestAuthority, validNow } from '../support/tls-service.ts'
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  type X509Certificate as Certificate,
  PemConverter,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

interface Signer {
  readonly certificate: Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

async function certify(name: string, by: Signer | undefined, ca: boolean, days = 1): Promise<Signer> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const common = {
    serialNumber: '01',
    notBefore: new Date(Date.now() - 3 * 86_400_000),
    notAfter: new Date(Date.now() + days * 86_400_000),
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(ca, undefined, true)],
  }
  const certificate =
    by === undefined
      ? await X509CertificateGenerator.createSelfSigned({ ...common, name: `CN=${name}`, keys })
      : await X509CertificateGenerator.create({
          ...common,
          subject: `CN=${name}`,
          issuer: by.certificate.subject,
          publicKey: keys.publicKey,
          signingKey: by.keys.privateKey,
        })
  return { certificate, keys }
}

const pem = ({ certificate }: Signer): string => `${certificate.toString('pem')}\n`
const plain = (signer: Signer): X509Certificate => new X509Certificate(pem(signer))

const root = await certify('root', undefined, true)
const intermediate = await certify('intermediate', root, true)
const leaf = await certify('leaf', intermediate, false)
const leafOfLeaf = await certify('below', leaf, false)
const other = await certify('root', undefined, true)
const old = await certify('old', undefined, true, -1)
const leafOfOld = await certify('leaf', old, false)

/** The client's certificate as a server gets it, with the chain that was sent. */
async function received(chain: readonly Signer[]): Promise<X509Certificate | undefined> {
  const { serving } = await createTestAuthority()
  const [end] = chain
  if (end === undefined) throw new Error('no chain')
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', end.keys.privateKey), 'PRIVATE KEY')
  return new Promise((resolve) => {
    const server = createServer(
      { cert: serving.certificate, key: serving.privateKey, requestCert: true, rejectUnauthorized: false },
      (socket: TLSSocket) => {
        resolve(socket.getPeerX509Certificate())
        socket.destroy()
        server.close()
      },
    )
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const agent = new Agent({ cert: chain.map(pem).join(''), key, rejectUnauthorized: false })
      request({ host: '127.0.0.1', port, agent })
        .on('error', () => {})
        .end()
    })
  })
}

t.test('chains', async (t) => {
  const now = validNow().fromMs + 86_400_000
  const table: readonly (readonly [string, readonly Signer[], readonly Signer[], boolean])[] = [
    ['by its issuer', [leaf], [intermediate], true],
    ['through what was sent with it', [leaf, intermediate], [root], true],
    ['without it', [leaf], [root], false],
    ['one pool among others', [leaf, intermediate], [other, old, root], true],
    ['a root of the same name', [leaf, intermediate], [other], false],
    ['by a certificate that is no CA', [leafOfLeaf, leaf, intermediate], [root], false],
    ['by a pool that is no CA', [leafOfLeaf], [leaf], false],
    ['by a CA that is over', [leafOfOld], [old], false],
    ['by nobody', [leaf, intermediate], [], false],
  ]
  for (const [what, chain, pool, expected] of table) {
    const certificate = await received(chain)
    if (certificate === undefined) throw new Error('nothing received')
    t.equal(isVouchedFor(certificate, pool.map(plain), now), expected, what)
  }
})

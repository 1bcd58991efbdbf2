/** A CA with a serving certificate for 127.0.0.1, and client certificates: made once for each test file. */

import { randomBytes } from 'node:crypto'
import type { TlsMaterial } from '../../workers/http/tls-material.ts'
import { createIssuer, type KeyPair } from '../../workers/pki/issue.ts'

interface TlsFixture {
  readonly ca: string
  readonly tls: TlsMaterial
  /** Signed by the client CA. */
  readonly client: KeyPair
  /** Signed by a CA that the server does not know. */
  readonly stranger: KeyPair
  /** Signed by the client CA, and over since yesterday. */
  readonly expired: KeyPair
}

const dayMs = 86_400_000

export async function createTlsFixture(): Promise<TlsFixture> {
  const issuer = await createIssuer(randomBytes)
  const now = Date.now()
  const valid = { fromMs: now - dayMs, untilMs: now + dayMs }
  const past = { fromMs: now - 2 * dayMs, untilMs: now - dayMs }
  const [ca, otherCa] = await Promise.all([
    issuer.authority('test-ca', valid),
    issuer.authority('other-ca', valid),
  ])
  const jane = { commonName: 'jane', organizations: ['developers'] }
  const [serving, client, stranger, expired] = await Promise.all([
    issuer.serving(ca, ['localhost', '127.0.0.1'], valid),
    issuer.client(ca, jane, valid),
    issuer.client(otherCa, jane, valid),
    issuer.client(ca, jane, past),
  ])
  const tls: TlsMaterial = {
    certificate: serving.certificate,
    privateKey: serving.privateKey,
    clientCa: ca.certificate,
    ticketKeys: randomBytes(48),
  }
  return { ca: ca.certificate, tls, client, stranger, expired }
}

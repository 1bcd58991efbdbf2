/** Whom clients trust, when the operator gave the certificates. */

import { randomBytes } from 'node:crypto'
import t from 'tap'
import { expiryWarning } from '../../workers/pki/inspect.ts'
import { createIssuer } from '../../workers/pki/issue.ts'
import { trustOf } from '../../workers/pki/trust.ts'

t.test('all nodes of one authority find the same', async (t) => {
  const issuer = await createIssuer(randomBytes)
  const validity = { fromMs: Date.now() - 1000, untilMs: Date.now() + 3_600_000 }
  const ca = await issuer.authority('ca', validity)
  const otherCa = await issuer.authority('other-ca', validity)
  const leaf = await issuer.serving(ca, ['a'], validity)
  const second = await issuer.serving(ca, ['b'], validity)
  const rows: readonly [string, string, string, string][] = [
    ['the chain has it', leaf.certificate + ca.certificate, otherCa.certificate, ca.certificate],
    ['the authority of the clients signed it', leaf.certificate, ca.certificate, ca.certificate],
    ['one of several signed it', second.certificate, otherCa.certificate + ca.certificate, ca.certificate],
    ['nobody known signed it', leaf.certificate, otherCa.certificate, leaf.certificate],
    ['a chain without an authority', leaf.certificate + second.certificate, ca.certificate, ca.certificate],
  ]
  for (const [what, serving, clientCa, expected] of rows) {
    t.equal(trustOf({ serving, clientCa }).trim().replaceAll('\r', ''), expected.trim(), what)
  }
})

t.test('a certificate that is over, or nearly, is spoken of', async (t) => {
  const dayMs = 86_400_000
  const untilMs = Date.UTC(2030, 0, 31)
  const issuer = await createIssuer(randomBytes)
  const { certificate } = await issuer.authority('ca', { fromMs: untilMs - 365 * dayMs, untilMs })
  const rows: readonly [number, string | undefined][] = [
    [-100, undefined],
    [-45, undefined],
    [-44.5, 'the x expires in 44 days (2030-01-31T00:00:00.000Z): renew it and restart'],
    [-0.5, 'the x expires in 0 days (2030-01-31T00:00:00.000Z): renew it and restart'],
    [1, 'the x has expired (2030-01-31T00:00:00.000Z): others refuse it'],
  ]
  for (const [days, expected] of rows) {
    t.equal(
      expiryWarning('x', certificate, 'renew it and restart', untilMs + days * dayMs),
      expected,
      `${days} days`,
    )
  }
})

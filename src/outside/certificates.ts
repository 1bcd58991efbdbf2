/** PEM text that is to hold certificates. */

import { X509Certificate } from 'node:crypto'
import { fail, ok, type Result } from '../../store/contract.ts'

const none = 'data does not contain any valid RSA or ECDSA certificates'

/** All certificates of the text; fails with a sentence when there is none, or one cannot be read. */
export function readCertificates(text: string): Result<readonly X509Certificate[], string> {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) return fail(none)
  try {
    return ok(blocks.map((block) => new X509Certificate(block)))
  } catch {
    return fail(none)
  }
}

/** Undefined = nothing is wrong. */
export function certificatesProblem(text: string): string | undefined {
  const read = readCertificates(text)
  return read.ok ? undefined : read.failure
}

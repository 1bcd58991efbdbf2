/**
 * Certificate signing requests (PKCS #10, RFC 2986) as signers and admission read them: one reading for all, so that
 * what is judged is what is signed.
 */

import type { Pkcs10CertificateRequest } from '@peculiar/x509'
import { fail, ok, type Result } from '../../store/contract.ts'
import { loadX509 } from './library.ts'

export interface CertificateRequest {
  /** '' = it has none. */
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly names: readonly SubjectAltName[]
  /** For the authority. */
  readonly parsed: Pkcs10CertificateRequest
}

interface SubjectAltName {
  readonly type: 'dns' | 'ip' | 'email' | 'url'
  readonly value: string
}

const block = /-----BEGIN ([A-Z ]+)-----([\sA-Za-z0-9+/=]+)-----END \1-----/
const labels: ReadonlySet<string> = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'])

/**
 * The first PEM block of what stands in `spec.request`, its signature verified: who asks has the key.
 * @param base64 of the PEM text
 * @returns the failure says what is wrong
 */
export async function readCertificateRequest(base64: string): Promise<Result<CertificateRequest, string>> {
  const [, label = '', body = ''] = block.exec(Buffer.from(base64, 'base64').toString('latin1')) ?? []
  if (!labels.has(label)) return fail('PEM block type must be CERTIFICATE REQUEST')
  const { Pkcs10CertificateRequest } = loadX509()
  try {
    const parsed = new Pkcs10CertificateRequest(Buffer.from(body, 'base64'))
    const read = await contentOf(parsed)
    if (!read.ok) return read
    return (await parsed.verify()) ? read : fail('the signature of the request is not valid')
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** RFC 5280, section 4.2.1.6. */
const subjectAltName = '2.5.29.17'

async function contentOf(parsed: Pkcs10CertificateRequest): Promise<Result<CertificateRequest, string>> {
  const { SubjectAlternativeNameExtension } = loadX509()
  const commonNames = parsed.subjectName.getField('CN')
  // Readers differ in which of several they take.
  if (commonNames.length > 1) return fail('the subject has more than one common name')
  const [extension, ...more] = parsed.extensions.filter(({ type }) => type === subjectAltName)
  if (more.length > 0) return fail('the request has more than one extension of subject alternative names')
  const found = extension instanceof SubjectAlternativeNameExtension ? extension.names.items : []
  if (extension !== undefined && found.length === 0) return fail('the subject alternative names are empty')
  const names: SubjectAltName[] = []
  for (const { type, value } of found) {
    if (type !== 'dns' && type !== 'ip' && type !== 'email' && type !== 'url')
      return fail(`a subject alternative name is of the type ${type}`)
    names.push({ type, value })
  }
  return ok({
    commonName: commonNames[0] ?? '',
    organizations: parsed.subjectName.getField('O'),
    names,
    parsed,
  })
}

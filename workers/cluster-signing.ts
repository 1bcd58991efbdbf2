/** The CAs that sign certificate requests: from the operator's files, or the one in the data directory. */

import { caProblem, type SigningCa } from '../src/certificates/authority.ts'
import { type SignerKind, signerKinds } from '../src/certificates/signers.ts'
import { type CsrSigningOptions, forAll } from '../src/certificates/signing-options.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import type { ClusterSigningConfig, SigningFiles } from './flags/cluster-signing.ts'
import { readFlagFile } from './read-flag-file.ts'

/**
 * @param own undefined = the server has made no CA
 * @returns undefined = there is none to sign with; the failure is a sentence for people
 */
export async function openClusterSigning(
  { source, durationMs }: ClusterSigningConfig,
  own: SigningCa | undefined,
): Promise<Result<CsrSigningOptions | undefined, string>> {
  switch (source.type) {
    case 'own':
      return ok(own === undefined ? undefined : { cas: forAll(own), durationMs })
    case 'common': {
      const ca = await readCa('', source.files)
      return ca.ok ? ok({ cas: forAll(ca.value), durationMs }) : ca
    }
    case 'specific': {
      const cas: Partial<Record<SignerKind, SigningCa>> = {}
      for (const kind of signerKinds) {
        const files = source.files[kind]
        if (files === undefined) continue
        const ca = await readCa(`${kind}-`, files)
        if (!ca.ok) return ca
        cas[kind] = ca.value
      }
      return ok({ cas, durationMs })
    }
  }
}

async function readCa(
  infix: string,
  { certificate: certificatePath, privateKey: keyPath }: SigningFiles,
): Promise<Result<SigningCa, string>> {
  const [certificateFlag, keyFlag] = [
    `--cluster-signing-${infix}cert-file`,
    `--cluster-signing-${infix}key-file`,
  ]
  const [certificate, privateKey] = await Promise.all([
    readFlagFile(certificateFlag, certificatePath),
    readFlagFile(keyFlag, keyPath),
  ])
  if (!certificate.ok) return certificate
  if (!privateKey.ok) return privateKey
  const ca = { certificate: certificate.value, privateKey: privateKey.value }
  const problem = caProblem(ca)
  return problem === undefined
    ? ok(ca)
    : fail(`${certificateFlag} ${certificatePath}, ${keyFlag} ${keyPath}: ${problem}`)
}

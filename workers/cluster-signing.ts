/** The CA that signs certificate requests: from the operator's files, or the one in the data directory. */

import { caProblem, type SigningCa } from '../src/certificates/authority.ts'
import type { CsrSigningOptions } from '../src/controllers/csr-signing.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import type { ClusterSigningConfig } from './flags/cluster-signing.ts'
import { readFlagFile } from './read-flag-file.ts'

/**
 * @param own undefined = the server has made no CA
 * @returns undefined = there is none to sign with; the failure is a sentence for people
 */
export async function openClusterSigning(
  { files, durationMs }: ClusterSigningConfig,
  own: SigningCa | undefined,
): Promise<Result<CsrSigningOptions | undefined, string>> {
  if (files === undefined) return ok(own === undefined ? undefined : { ...own, durationMs })
  const [certificate, privateKey] = await Promise.all([
    readFlagFile('--cluster-signing-cert-file', files.certificate),
    readFlagFile('--cluster-signing-key-file', files.privateKey),
  ])
  if (!certificate.ok) return certificate
  if (!privateKey.ok) return privateKey
  const ca = { certificate: certificate.value, privateKey: privateKey.value }
  const problem = caProblem(ca)
  return problem === undefined
    ? ok({ ...ca, durationMs })
    : fail(
        `--cluster-signing-cert-file ${files.certificate}, --cluster-signing-key-file ${files.privateKey}: ${problem}`,
      )
}

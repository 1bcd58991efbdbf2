/** The flags of the CA that signs certificate requests. */

import type { FlagValues } from './table.ts'

export interface ClusterSigningConfig {
  /** undefined = the CA in the data directory. */
  readonly files: { readonly certificate: string; readonly privateKey: string } | undefined
  readonly durationMs: number
}

export const clusterSigningDurationMs = 365 * 86_400_000

export function clusterSigningConfig(values: FlagValues): ClusterSigningConfig {
  const certificate = values['cluster-signing-cert-file']
  const privateKey = values['cluster-signing-key-file']
  return {
    files: certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey },
    durationMs: values['cluster-signing-duration'] ?? clusterSigningDurationMs,
  }
}

/** Undefined = all is well. */
export function clusterSigningContradiction(values: FlagValues): string | undefined {
  const { 'cluster-signing-cert-file': certificate, 'cluster-signing-key-file': key } = values
  if (certificate !== undefined && key === undefined)
    return '--cluster-signing-cert-file needs --cluster-signing-key-file'
  return key !== undefined && certificate === undefined
    ? '--cluster-signing-key-file needs --cluster-signing-cert-file'
    : undefined
}

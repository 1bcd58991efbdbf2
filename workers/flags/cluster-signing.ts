/** The flags of the CAs that sign certificate requests. */

import { type SignerKind, signerKinds } from '../../src/certificates/signers.ts'
import type { FlagValues } from './table.ts'

export interface SigningFiles {
  readonly certificate: string
  readonly privateKey: string
}

export type ClusterSigningFiles =
  /** The CA in the data directory signs for all. */
  | { readonly type: 'own' }
  /** One pair signs for all. */
  | { readonly type: 'common'; readonly files: SigningFiles }
  /** Signers that are not among them do not sign. */
  | { readonly type: 'specific'; readonly files: Readonly<Partial<Record<SignerKind, SigningFiles>>> }

export interface ClusterSigningConfig {
  readonly source: ClusterSigningFiles
  readonly durationMs: number
}

export const clusterSigningDurationMs = 365 * 86_400_000

export function clusterSigningConfig(values: FlagValues): ClusterSigningConfig {
  return {
    source: sourceOf(values),
    durationMs: values['cluster-signing-duration'] ?? clusterSigningDurationMs,
  }
}

function sourceOf(values: FlagValues): ClusterSigningFiles {
  const common = filesOf(values, '')
  if (common !== undefined) return { type: 'common', files: common }
  const specific = signerKinds.flatMap((kind) => {
    const files = filesOf(values, `${kind}-`)
    return files === undefined ? [] : [[kind, files] as const]
  })
  return specific.length === 0 ? { type: 'own' } : { type: 'specific', files: Object.fromEntries(specific) }
}

type Infix = '' | `${SignerKind}-`

function filesOf(values: FlagValues, infix: Infix): SigningFiles | undefined {
  const certificate = values[`cluster-signing-${infix}cert-file`]
  const privateKey = values[`cluster-signing-${infix}key-file`]
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey }
}

/** Undefined = all is well. */
export function clusterSigningContradiction(values: FlagValues): string | undefined {
  const infixes: readonly Infix[] = ['', ...signerKinds.map((kind) => `${kind}-` as const)]
  for (const infix of infixes) {
    const [certificate, key] = [
      `cluster-signing-${infix}cert-file`,
      `cluster-signing-${infix}key-file`,
    ] as const
    if (values[certificate] !== undefined && values[key] === undefined)
      return `--${certificate} needs --${key}`
    if (values[key] !== undefined && values[certificate] === undefined)
      return `--${key} needs --${certificate}`
  }
  const specific = signerKinds.find((kind) => values[`cluster-signing-${kind}-cert-file`] !== undefined)
  return specific !== undefined && values['cluster-signing-cert-file'] !== undefined
    ? `--cluster-signing-cert-file signs for every signer: it contradicts --cluster-signing-${specific}-cert-file`
    : undefined
}

import type { SigningCa } from './authority.ts'
import type { SignerKind } from './signers.ts'

export interface CsrSigningOptions {
  /** A signer without a CA leaves its requests to others. */
  readonly cas: Readonly<Partial<Record<SignerKind, SigningCa>>>
  /** Longest, and what those get who ask for nothing. */
  readonly durationMs: number
}

/** One CA signs for every signer. */
export function forAll(ca: SigningCa): Readonly<Record<SignerKind, SigningCa>> {
  return { 'kube-apiserver-client': ca, 'kubelet-client': ca, 'kubelet-serving': ca, 'legacy-unknown': ca }
}

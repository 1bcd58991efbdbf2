/** What one issuer's tokens must show and how they become users, checked and compiled. */

import type { Environment, Program } from '../../cel/expression.ts'
import { cel } from '../../cel/types.ts'
import type { SigningAlgorithm } from './algorithms.ts'

/** A claim as it is behind a prefix, or an expression over all claims. */
export type ClaimMapping =
  | { readonly type: 'claim'; readonly claim: string; readonly prefix: string }
  | { readonly type: 'expression'; readonly program: Program }

export interface ValidationRule {
  readonly program: Program
  /** '' = none was given. */
  readonly message: string
}

export interface JwtSettings {
  readonly issuer: string
  readonly discoveryUrl: string | undefined
  /** PEM text; undefined = the public roots that Node.js carries. */
  readonly certificateAuthority: string | undefined
  /** At least one. */
  readonly audiences: readonly string[]
  readonly algorithms: readonly SigningAlgorithm[]
  readonly username: ClaimMapping
  readonly groups: ClaimMapping | undefined
  readonly uid: ClaimMapping | undefined
  readonly extra: readonly { readonly key: string; readonly program: Program }[]
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[]
  readonly claimRules: readonly ValidationRule[]
  readonly userRules: readonly ValidationRule[]
}

/** For expressions over the token's payload. */
export const claimsEnvironment: Environment = {
  variables: new Map([['claims', cel.map(cel.string, cel.dyn)]]),
}

/** For expressions over the user that the claims became. */
export const userEnvironment: Environment = {
  variables: new Map([
    [
      'user',
      cel.object('kubernetes.UserInfo', {
        username: cel.string,
        uid: cel.string,
        groups: cel.list(cel.string),
        extra: cel.map(cel.string, cel.list(cel.string)),
      }),
    ],
  ]),
}

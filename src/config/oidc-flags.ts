/** One OpenID provider by flags. Source: specification, "OpenID Connect flags". */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { SigningAlgorithm } from '../authn/oidc/algorithms.ts'
import type { JwtSettings } from '../authn/oidc/settings.ts'
import { certificatesProblem } from '../outside/certificates.ts'
import { urlCauses } from './authentication-issuer.ts'

export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  readonly usernameClaim: string
  /** Undefined = not given: the issuer and `#`, unless the claim is `email`. `-` = none. */
  readonly usernamePrefix: string | undefined
  readonly groupsClaim: string | undefined
  readonly groupsPrefix: string
  readonly requiredClaims: ReadonlyMap<string, string>
  readonly signingAlgorithms: readonly SigningAlgorithm[]
  readonly caFile: string | undefined
}

export interface OidcFlagsContext {
  /** Text of `caFile`; undefined without one. */
  readonly ca: string | undefined
  readonly disallowedIssuers: readonly string[]
}

/** Fails with a sentence that names the flag. */
export function oidcSettings(
  flags: OidcFlags,
  { ca, disallowedIssuers }: OidcFlagsContext,
): Result<JwtSettings, string> {
  const [cause] = urlCauses(flags.issuerUrl, '--oidc-issuer-url', disallowedIssuers)
  if (cause !== undefined) return fail(`--oidc-issuer-url: ${cause.message}`)
  const problem = ca === undefined ? undefined : certificatesProblem(ca)
  if (problem !== undefined) return fail(`--oidc-ca-file ${flags.caFile ?? ''}: ${problem}`)
  const { groupsClaim, groupsPrefix: prefix } = flags
  return ok({
    issuer: flags.issuerUrl,
    discoveryUrl: undefined,
    certificateAuthority: ca,
    audiences: [flags.clientId],
    algorithms: flags.signingAlgorithms,
    username: { type: 'claim', claim: flags.usernameClaim, prefix: usernamePrefix(flags) },
    groups: groupsClaim === undefined ? undefined : { type: 'claim', claim: groupsClaim, prefix },
    uid: undefined,
    extra: [],
    requiredClaims: [...flags.requiredClaims].map(([claim, value]) => ({ claim, value })),
    claimRules: [],
    userRules: [],
  })
}

function usernamePrefix({ issuerUrl, usernameClaim, usernamePrefix: given }: OidcFlags): string {
  if (given === '-') return ''
  if (given !== undefined) return given
  return usernameClaim === 'email' ? '' : `${issuerUrl}#`
}

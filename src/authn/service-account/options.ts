/** What the operator says about the tokens of service accounts. Source: specification, "Methods". */

export interface ServiceAccountOptions {
  /** `iss` of tokens that count; the first is written into new ones. At least one (`--service-account-issuer`). */
  readonly issuers: readonly string[]
  /** PEM text of a private key, RSA or ECDSA (`--service-account-signing-key-file`). */
  readonly signingKey: string
  /** PEM texts of keys whose signatures count beside the signing key's, each one or more (`--service-account-key-file`). */
  readonly verificationKeys: readonly string[]
  /** Legacy tokens count only while their secret is there (`--service-account-lookup`). */
  readonly lookup: boolean
  /** Whom tokens for this server name; empty = the issuers (`--api-audiences`). */
  readonly apiAudiences: readonly string[]
  /** Longest that a token may be asked for; 0 = 2³² seconds (`--service-account-max-token-expiration`). */
  readonly maxExpirationSeconds: number
  /** Tokens of pods live for a year, and are told apart by `warnafter` (`--service-account-extend-token-expiration`). */
  readonly extendExpiration: boolean
  /** Where discovery says that the keys are; '' = on this server (`--service-account-jwks-uri`). */
  readonly jwksUri: string
}

export function apiAudiencesOf({ apiAudiences, issuers }: ServiceAccountOptions): readonly string[] {
  return apiAudiences.length === 0 ? issuers : apiAudiences
}

/** The flags of service account tokens, checked against each other. */

import type { FlagValues } from './table.ts'

export interface ServiceAccountConfig {
  /** None = the one of this product. */
  readonly issuers: readonly string[]
  readonly signingKeyFile: string | undefined
  readonly keyFiles: readonly string[]
  readonly lookup: boolean
  readonly apiAudiences: readonly string[]
  /** 0 = no bound of its own. */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  /** '' = on this server. */
  readonly jwksUri: string
}

/** What counts when no flag says otherwise. */
export const defaultServiceAccountConfig: ServiceAccountConfig = {
  issuers: [],
  signingKeyFile: undefined,
  keyFiles: [],
  lookup: true,
  apiAudiences: [],
  maxExpirationSeconds: 0,
  extendExpiration: true,
  jwksUri: '',
}

export function serviceAccountConfig(values: FlagValues): ServiceAccountConfig {
  const standard = defaultServiceAccountConfig
  return {
    issuers: values['service-account-issuer'] ?? standard.issuers,
    signingKeyFile: values['service-account-signing-key-file'],
    keyFiles: values['service-account-key-file'] ?? standard.keyFiles,
    lookup: values['service-account-lookup'] ?? standard.lookup,
    apiAudiences: values['api-audiences'] ?? standard.apiAudiences,
    maxExpirationSeconds: Math.floor((values['service-account-max-token-expiration'] ?? 0) / 1000),
    extendExpiration: values['service-account-extend-token-expiration'] ?? standard.extendExpiration,
    jwksUri: values['service-account-jwks-uri'] ?? standard.jwksUri,
  }
}

/** Undefined = all is well. */
export function serviceAccountContradiction(values: FlagValues): string | undefined {
  const issuers = values['service-account-issuer'] ?? []
  if (new Set(issuers).size < issuers.length) return '--service-account-issuer names an issuer more than once'
  const bad = issuers.find((issuer) => issuer.includes(':') && !URL.canParse(issuer))
  if (bad !== undefined) return `--service-account-issuer ${bad} holds a colon and is no URL`
  const jwksUri = values['service-account-jwks-uri']
  if (jwksUri !== undefined && !(URL.canParse(jwksUri) && jwksUri.startsWith('https://')))
    return `--service-account-jwks-uri ${jwksUri} is no https URL`
  return undefined
}

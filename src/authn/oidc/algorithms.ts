/** Asymmetric alone: a public key must never serve as a shared secret. Source: RFC 8725, section 3.1. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

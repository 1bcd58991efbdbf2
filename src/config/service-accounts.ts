/** Tokens of service accounts: who issues them, who believes them, and where others find the keys. */

import { createLookups } from '../admission/lookup.ts'
import type { TokenAuthenticator } from '../authn/authenticate.ts'
import { createServiceAccountAuthenticator } from '../authn/service-account/authenticator.ts'
import {
  type BoundClaims,
  boundPayload,
  type LegacyClaims,
  legacyPayload,
} from '../authn/service-account/claims.ts'
import {
  createIssuerDiscovery,
  type IssuerDiscovery,
  keysPath,
} from '../authn/service-account/issuer-discovery.ts'
import {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  type VerificationKey,
} from '../authn/service-account/keys.ts'
import { apiAudiencesOf, type ServiceAccountOptions } from '../authn/service-account/options.ts'
import { createTokenSigner } from '../authn/service-account/signer.ts'
import { createStandings } from '../authn/service-account/standing.ts'
import { createTokenUses, type TokenUses } from '../authn/service-account/uses.ts'
import type { Machinery } from '../registry/machinery.ts'
import { createTokenRequest } from '../registry/service-accounts/token-request.ts'
import type { Operation } from '../registry/virtual.ts'
import type { ServerOptions } from '../server.ts'
import type { Storage } from '../storage/contract.ts'
import { isGateOpen } from '../types/feature-gates.ts'
import type { TypeRegistry } from '../types/resource.ts'

export interface ServiceAccounts {
  readonly authenticator: TokenAuthenticator
  readonly apiAudiences: readonly string[]
  readonly discovery: IssuerDiscovery | undefined
  readonly uses: TokenUses
  /** By the key of the operations map. */
  operations(machinery: Machinery): ReadonlyMap<string, Operation>
  signLegacy(claims: Pick<LegacyClaims, 'namespace' | 'account' | 'secretName'>): Promise<string>
}

export function createServiceAccounts(
  given: ServiceAccountOptions,
  { names, clock, featureGates, advertiseAddress: { host, port } }: ServerOptions,
  types: TypeRegistry,
  storage: Storage,
): ServiceAccounts {
  const { signing, keys } = keysOf(given)
  const [issuer = ''] = given.issuers
  const apiAudiences = apiAudiencesOf(given)
  const sign = createTokenSigner(signing)
  const uses = createTokenUses()
  const isOpen = (gate: string): boolean => isGateOpen(featureGates, gate)
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    apiAudiences,
    uses,
    authenticator: createServiceAccountAuthenticator({
      names,
      clock,
      issuers: given.issuers,
      keys,
      apiAudiences,
      standings: createStandings({
        names,
        lookups: createLookups(types, storage),
        lookup: given.lookup,
        checkNodes: isOpen('ServiceAccountTokenNodeBindingValidation'),
      }),
      onUse: uses.record,
    }),
    discovery: createIssuerDiscovery({
      issuer,
      keys,
      jwksUri: given.jwksUri === '' ? `https://${shownHost}:${port}${keysPath}` : given.jwksUri,
    }),
    operations: (machinery) =>
      new Map([
        [
          '/serviceaccounts/token',
          createTokenRequest({
            machinery,
            issuer,
            apiAudiences,
            maxExpirationSeconds: given.maxExpirationSeconds,
            extendExpiration: given.extendExpiration,
            gates: {
              ids: isOpen('ServiceAccountTokenJTI'),
              podNodes: isOpen('ServiceAccountTokenPodNodeInfo'),
              nodeBinding: isOpen('ServiceAccountTokenNodeBinding'),
            },
            sign: (claims: BoundClaims) => sign(boundPayload(claims, names)),
          }),
        ],
      ]),
    signLegacy: (claims) => sign(legacyPayload(claims, names)),
  }
}

/** The keys were read when the server's identity was opened: what cannot be read here is a bug. */
function keysOf({ signingKey, verificationKeys }: ServiceAccountOptions): {
  readonly signing: SigningKey
  readonly keys: readonly VerificationKey[]
} {
  const signing = readSigningKey(signingKey)
  if (!signing.ok) throw new TypeError(`the signing key of service accounts ${signing.failure}`)
  const others = verificationKeys.flatMap((pem) => {
    const read = readVerificationKeys(pem)
    if (!read.ok) throw new TypeError(`a key of service accounts ${read.failure}`)
    return read.value
  })
  const all = [signing.value.verification, ...others]
  return { signing: signing.value, keys: [...new Map(all.map((key) => [key.id, key])).values()] }
}

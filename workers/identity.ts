/** Who the server is and whom it knows: certificates and tokens, from the data directory or from the operator's files. */

import { randomBytes } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import type { ServiceAccountOptions } from '../src/authn/service-account/options.ts'
import type { AbacPolicy } from '../src/authz/abac/policy.ts'
import type { CsrSigningOptions } from '../src/certificates/signing-options.ts'
import { createNames, type Names } from '../src/names/names.ts'
import { selfAddress } from '../src/registry/services/ranges.ts'
import type { StaticToken } from '../src/server.ts'
import { ok, type Result } from '../store/contract.ts'
import { openClusterSigning } from './cluster-signing.ts'
import type { Config } from './flags/config.ts'
import { readCa, readGivenPair, readPolicies, readTokens } from './given-files.ts'
import type { TlsMaterial } from './http/tls-material.ts'
import type { KeyPair } from './pki/issue.ts'
import type { Kubeconfig } from './pki/kubeconfig.ts'
import { adminOf, openPki, openToken, type Pki } from './pki/pki.ts'
import { servingNames } from './pki/serving-names.ts'
import { trustOf } from './pki/trust.ts'
import { type OpenedServiceAccounts, openServiceAccounts } from './service-accounts.ts'
import { cannotStart, type StartFailure } from './start-failure.ts'

export interface ServerIdentity {
  readonly tls: TlsMaterial
  readonly staticTokens: readonly StaticToken[]
  readonly abacPolicies: readonly AbacPolicy[]
  readonly serviceAccounts: ServiceAccountOptions
  /** undefined = nobody signs certificate requests. */
  readonly clusterSigning: CsrSigningOptions | undefined
  /** PEM text: what clients trust. */
  readonly ca: string
  readonly adminToken: string
  readonly adminCredential: Kubeconfig['credential']
  /** What is new, for the log. */
  readonly made: readonly string[]
  /** Writes what is new. Not before it is certain that the data directory is this server's. */
  save(): Promise<void>
}

/** Without what is opened beside it. */
type BareIdentity = Omit<ServerIdentity, 'abacPolicies' | 'serviceAccounts' | 'clusterSigning'>

type IdentityOptions = Pick<
  Config,
  | 'dataDir'
  | 'bindAddress'
  | 'advertiseAddress'
  | 'externalHostname'
  | 'tlsFiles'
  | 'tlsSans'
  | 'clientCaFile'
  | 'rootCaFile'
  | 'requestHeaderCaFile'
  | 'tokenAuthFile'
  | 'authorizationPolicyFile'
  | 'serviceAccounts'
  | 'clusterSigning'
> & { readonly api: Pick<Config['api'], 'dialect' | 'services'> }

const servingFlags = { certificate: '--tls-cert-file', privateKey: '--tls-private-key-file' }

/** Writes nothing: see `save`. */
export async function openIdentity(options: IdentityOptions): Promise<Result<ServerIdentity, StartFailure>> {
  const names = createNames(options.api.dialect)
  const [own, tokens, policies, serving, clientCa, proxyCa, rootCa] = await Promise.all([
    openOwn(options, names),
    readTokens(options.tokenAuthFile),
    readPolicies(options.authorizationPolicyFile, names),
    options.tlsFiles === undefined ? ok(undefined) : readGivenPair(servingFlags, options.tlsFiles),
    readCa('--client-ca-file', options.clientCaFile),
    readCa('--requestheader-client-ca-file', options.requestHeaderCaFile),
    readCa('--root-ca-file', options.rootCaFile),
  ])
  if (!own.ok) return own
  if (!tokens.ok) return tokens
  if (!policies.ok) return policies
  if (!serving.ok) return serving
  if (!clientCa.ok) return clientCa
  if (!proxyCa.ok) return proxyCa
  if (!rootCa.ok) return rootCa
  const serviceAccounts = await openServiceAccounts({
    dataDir: options.dataDir,
    names,
    config: options.serviceAccounts,
    tlsKey: serving.value?.privateKey,
  })
  if (!serviceAccounts.ok) return cannotStart(serviceAccounts.failure)
  // What a CA signs that nobody believes is worth nothing.
  const ownCa = clientCa.value === undefined ? own.value.pki?.signing : undefined
  const clusterSigning = await openClusterSigning(options.clusterSigning, ownCa)
  if (!clusterSigning.ok) return cannotStart(clusterSigning.failure)
  const identity = assembleIdentity(own.value, names.product, tokens.value, serving.value, clientCa.value)
  const tls = { ...identity.tls, ...(proxyCa.value === undefined ? {} : { proxyCa: proxyCa.value }) }
  const ca = rootCa.value ?? identity.ca
  return ok({
    ...withServiceAccounts(identity, serviceAccounts.value),
    tls,
    ca,
    abacPolicies: policies.value,
    clusterSigning: clusterSigning.value,
  })
}

/** What the server makes itself: certificates, unless the operator gives them all, and a token. */
interface Own {
  readonly pki: Pki | undefined
  readonly token: string
  readonly made: readonly string[]
  save(): Promise<void>
}

async function openOwn(options: IdentityOptions, names: Names): Promise<Result<Own, StartFailure>> {
  const { dataDir, tlsFiles, clientCaFile } = options
  if (tlsFiles !== undefined && clientCaFile !== undefined) {
    const token = await openToken({ dataDir, randomBytes })
    if (!token.ok) return cannotStart(token.failure.message)
    return ok({ pki: undefined, token: token.value.token, made: [], save: () => token.value.save() })
  }
  const pki = await openPki({
    dataDir,
    product: names.product,
    servingNames: servingNames({
      names,
      hostname: hostname(),
      interfaceAddresses: interfaceAddresses(),
      given: givenNames(options),
    }),
    nowMs: Date.now(),
    randomBytes,
  })
  if (!pki.ok) return cannotStart(pki.failure.message)
  const { adminToken: token, made } = pki.value
  return ok({ pki: pki.value, token, made, save: () => pki.value.save() })
}

function assembleIdentity(
  { pki, token, made, save }: Own,
  product: string,
  tokens: readonly StaticToken[],
  givenServing: KeyPair | undefined,
  givenClientCa: string | undefined,
): BareIdentity {
  const { commonName, organizations } = adminOf(product)
  const admin: StaticToken = { token, user: { name: commonName, uid: '', groups: organizations } }
  const serving = givenServing ?? pki?.serving
  const clientCa = givenClientCa ?? pki?.ca
  if (serving === undefined || clientCa === undefined)
    throw new TypeError('certificates neither given nor made')
  const { certificate, privateKey } = serving
  return {
    tls: { certificate, privateKey, clientCa, ticketKeys: randomBytes(48) },
    staticTokens: [admin, ...tokens],
    ca:
      givenServing === undefined && pki !== undefined ? pki.ca : trustOf({ serving: certificate, clientCa }),
    adminToken: token,
    // A foreign client CA does not vouch for the certificate that was made here.
    adminCredential:
      givenClientCa === undefined && pki !== undefined
        ? { type: 'certificate', keys: pki.admin }
        : { type: 'token', token },
    made,
    save,
  }
}

function withServiceAccounts(
  identity: BareIdentity,
  { options, made, save }: OpenedServiceAccounts,
): Omit<ServerIdentity, 'abacPolicies' | 'clusterSigning'> {
  return {
    ...identity,
    serviceAccounts: options,
    made: [...identity.made, ...made],
    async save() {
      await identity.save()
      await save()
    },
  }
}

function givenNames(options: IdentityOptions): string[] {
  const { tlsSans, advertiseAddress, externalHostname, bindAddress, api } = options
  const own = api.services.addresses.map(selfAddress)
  return [...tlsSans, advertiseAddress, externalHostname, bindAddress, ...own].filter(
    (name) => name !== undefined,
  )
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((ofOne) => (ofOne ?? []).map(({ address }) => address))
}

/** Keys and rules of service account tokens: from the operator's files, or from the data directory. */

import { keysPath } from '../src/authn/service-account/issuer-discovery.ts'
import { readSigningKey, readVerificationKeys } from '../src/authn/service-account/keys.ts'
import type { ServiceAccountOptions } from '../src/authn/service-account/options.ts'
import type { Names } from '../src/names/names.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import type { ServiceAccountConfig } from './flags/service-accounts.ts'
import { openServiceAccountKey } from './pki/service-account-key.ts'
import { readFlagFile } from './read-flag-file.ts'

export interface OpenedServiceAccounts {
  readonly options: ServiceAccountOptions
  readonly made: readonly string[]
  save(): Promise<void>
}

interface ServiceAccountSources {
  readonly dataDir: string
  readonly names: Names
  readonly config: ServiceAccountConfig
  /** PEM text of `--tls-private-key-file`: it verifies where no other key is given. */
  readonly tlsKey: string | undefined
}

/** The failure is a sentence for people, and names flag and file. */
export async function openServiceAccounts({
  dataDir,
  names,
  config,
  tlsKey,
}: ServiceAccountSources): Promise<Result<OpenedServiceAccounts, string>> {
  const [signing, others] = await Promise.all([
    openSigningKey(dataDir, config.signingKeyFile),
    Promise.all(config.keyFiles.map(readKeyFile)),
  ])
  if (!signing.ok) return signing
  const verificationKeys: string[] = []
  for (const other of others) {
    if (!other.ok) return other
    verificationKeys.push(other.value)
  }
  if (verificationKeys.length === 0 && tlsKey !== undefined && readVerificationKeys(tlsKey).ok)
    verificationKeys.push(tlsKey)
  const { issuers, lookup, apiAudiences, maxExpirationSeconds, extendExpiration, jwksUri } = config
  return ok({
    options: {
      issuers: issuers.length === 0 ? [`https://${names.product}.default.svc.cluster.local`] : issuers,
      signingKey: signing.value.privateKey,
      verificationKeys,
      lookup,
      apiAudiences,
      maxExpirationSeconds,
      extendExpiration,
      jwksUri,
    },
    made: signing.value.made === undefined ? [] : [signing.value.made],
    save: signing.value.save,
  })
}

async function openSigningKey(dataDir: string, path: string | undefined) {
  if (path === undefined) {
    const own = await openServiceAccountKey(dataDir)
    return own.ok ? own : fail(own.failure.message)
  }
  const text = await readFlagFile('--service-account-signing-key-file', path)
  if (!text.ok) return text
  const read = readSigningKey(text.value)
  return read.ok
    ? ok({ privateKey: text.value, made: undefined, save: async () => {} })
    : fail(`--service-account-signing-key-file ${path}: ${read.failure}`)
}

async function readKeyFile(path: string): Promise<Result<string, string>> {
  const text = await readFlagFile('--service-account-key-file', path)
  if (!text.ok) return text
  const read = readVerificationKeys(text.value)
  return read.ok ? text : fail(`--service-account-key-file ${path}: ${read.failure}`)
}

/** Discovery names the host name that others know, where there is one, and nothing else was asked for. */
export function publishedUnder(
  options: ServiceAccountOptions,
  externalHostname: string | undefined,
  port: number,
): ServiceAccountOptions {
  return options.jwksUri !== '' || externalHostname === undefined
    ? options
    : { ...options, jwksUri: `https://${externalHostname}:${port}${keysPath}` }
}

/** Opens access control that rests on others, for the process that serves clients. */

import { createHash, randomBytes } from 'node:crypto'
import { apiAudiencesOf, type ServiceAccountOptions } from '../src/authn/service-account/options.ts'
import type { ExternalAccess } from '../src/config/external-access.ts'
import type { Names } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import { systemClock } from '../store/clock.ts'
import { ok, type Result } from '../store/contract.ts'
import type { ApiConfig } from './flags/config.ts'

interface ExternalAccessSources {
  readonly settings: {
    readonly api: ApiConfig
    readonly serviceAccounts: ServiceAccountOptions
    readonly advertiseHost: string
  }
  readonly names: Names
  readonly log: Log
  /** Of the TLS listener. */
  readonly port: number
}

/** Undefined = there is none: then nothing that it needs is loaded. The failure names flag and file. */
export async function openExternalAccessOf({
  settings: { api, serviceAccounts, advertiseHost },
  names,
  log,
  port,
}: ExternalAccessSources): Promise<Result<ExternalAccess | undefined, string>> {
  if (Object.keys(api.external).length === 0) return ok(undefined)
  const [{ openExternalAccess }, { machineOutside }] = await Promise.all([
    import('../src/config/external-access.ts'),
    import('./outside/outside.ts'),
  ])
  const digest = createHash('sha256').update(`${advertiseHost}:${port}`).digest('hex')
  return openExternalAccess(api.external, {
    outside: machineOutside,
    names,
    log,
    clock: systemClock,
    fraction: () => randomBytes(4).readUInt32LE() / 2 ** 32,
    disallowedIssuers: serviceAccounts.issuers,
    apiAudiences: apiAudiencesOf(serviceAccounts),
    serverIdHash: `sha256:${digest}`,
  })
}

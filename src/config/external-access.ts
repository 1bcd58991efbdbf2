/**
 * Access control that rests on others: OpenID providers, webhooks, a proxy. Read and checked before the server is put
 * together, so that what is wrong stops the start.
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { TokenAuthenticator } from '../authn/authenticate.ts'
import { createOidcAuthenticator } from '../authn/oidc/authenticator.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import type { Outside } from '../outside/outside.ts'
import { type OidcFlags, oidcSettings } from './oidc-flags.ts'
import { openReloadedAuthentication } from './reloaded-authentication.ts'

/** What the flags say; checked against each other already. */
export interface ExternalAccessConfig {
  readonly oidc?: OidcFlags
  /** Path. Never together with `oidc`. */
  readonly authenticationConfigFile?: string
}

export interface ExternalAccessParts {
  readonly outside: Outside
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly disallowedIssuers: readonly string[]
  readonly serverIdHash: string
}

/** One piece of it, ready to run. */
export interface ExternalPart {
  readonly tokens?: TokenAuthenticator
  metricsText?(): string
  start(): void
  close(): void
}

export interface ExternalAccess {
  /** Kinds of bearer tokens, in the order in which they are asked. */
  readonly tokens: readonly TokenAuthenticator[]
  metricsText(): string
  start(): void
  close(): void
}

/** Fails with a sentence that names flag and file. */
export async function openExternalAccess(
  config: ExternalAccessConfig,
  parts: ExternalAccessParts,
): Promise<Result<ExternalAccess, string>> {
  const opened = await Promise.all([openOidc(config, parts), openAuthenticationFile(config, parts)])
  const failed = opened.find((one) => !one.ok)
  const all = opened.flatMap((one) => (one.ok && one.value !== undefined ? [one.value] : []))
  if (failed !== undefined && !failed.ok) {
    for (const part of all) part.close()
    return failed
  }
  return ok({
    tokens: all.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens])),
    metricsText: () => all.map((part) => part.metricsText?.() ?? '').join(''),
    start() {
      for (const part of all) part.start()
    },
    close() {
      for (const part of all) part.close()
    },
  })
}

type Opened = Promise<Result<ExternalPart | undefined, string>>

async function openOidc({ oidc }: ExternalAccessConfig, parts: ExternalAccessParts): Opened {
  if (oidc === undefined) return ok(undefined)
  const { caFile } = oidc
  const ca = caFile === undefined ? undefined : await parts.outside.readFile(caFile)
  if (ca !== undefined && !ca.ok) return fail(`--oidc-ca-file ${caFile} ${ca.failure}`)
  const settings = oidcSettings(oidc, { ca: ca?.value, disallowedIssuers: parts.disallowedIssuers })
  if (!settings.ok) return settings
  const authenticator = createOidcAuthenticator([settings.value], parts)
  if (!authenticator.ok) return authenticator
  return ok({ tokens: authenticator.value, ...lifeOf(authenticator.value) })
}

async function openAuthenticationFile(
  { authenticationConfigFile: path }: ExternalAccessConfig,
  parts: ExternalAccessParts,
): Opened {
  return path === undefined ? ok(undefined) : openReloadedAuthentication({ path, ...parts })
}

function lifeOf(part: { start(): void; close(): void }): Pick<ExternalPart, 'start' | 'close'> {
  return { start: () => part.start(), close: () => part.close() }
}

/**
 * Access control that rests on others: OpenID providers, webhooks, a proxy. Read and checked before the server is put
 * together, so that what is wrong stops the start.
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createAudienceAgnostic } from '../authn/audience-agnostic.ts'
import type { Authenticator, TokenAuthenticator } from '../authn/authenticate.ts'
import { createOidcAuthenticator } from '../authn/oidc/authenticator.ts'
import { JwtMetrics } from '../authn/oidc/metrics.ts'
import { createRequestHeaderAuthenticator, type RequestHeaderConfig } from '../authn/request-header.ts'
import { createWebhookTokenAuthenticator } from '../authn/webhook-tokens.ts'
import type { AuthorizationMode } from '../authz/modes.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import { openEndpoint } from '../outside/kubeconfig.ts'
import type { HttpClientOptions, Outside } from '../outside/outside.ts'
import { createRotatingClient } from '../outside/rotating-client.ts'
import type { AuthorizerSettings } from './authorization-config.ts'
import { type AuthorizerChain, openFixedChain, openReloadedChain } from './authorizer-chain.ts'
import { type OidcFlags, oidcSettings } from './oidc-flags.ts'
import { openReloadedAuthentication } from './reloaded-authentication.ts'

/** What the flags say; checked against each other already. */
export interface ExternalAccessConfig {
  readonly oidc?: OidcFlags
  /** Path. Never together with `oidc`. */
  readonly authenticationConfigFile?: string
  readonly tokenWebhook?: {
    /** Path. */
    readonly configFile: string
    readonly version: 'v1' | 'v1beta1'
    readonly cacheTtlMs: number
  }
  /** The CA is the transport's business. */
  readonly requestHeader?: RequestHeaderConfig
  /** Modes in order, Webhook among them. Never together with `authorizationConfigFile`. */
  readonly authorizationWebhook?: {
    readonly modes: readonly AuthorizationMode[]
    /** Path. */
    readonly configFile: string
    readonly version: 'v1' | 'v1beta1'
    readonly authorizedTtlMs: number
    readonly unauthorizedTtlMs: number
  }
  /** Path. */
  readonly authorizationConfigFile?: string
}

export interface ExternalAccessParts {
  readonly outside: Outside
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  /** 0 ≤ x < 1. */
  readonly fraction: () => number
  readonly disallowedIssuers: readonly string[]
  /** What this server is called by tokens. */
  readonly apiAudiences: readonly string[]
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
  readonly requestHeader: Authenticator | undefined
  /** Instead of the modes that the server has by itself; undefined = those. */
  readonly authorizers: AuthorizerChain | undefined
  metricsText(): string
  start(): void
  close(): void
}

/** Fails with a sentence that names flag and file. */
export async function openExternalAccess(
  config: ExternalAccessConfig,
  parts: ExternalAccessParts,
): Promise<Result<ExternalAccess, string>> {
  const opened = await Promise.all([
    openOidc(config, parts),
    openAuthenticationFile(config, parts),
    openTokenWebhook(config, parts),
  ])
  const failed = opened.find((one) => !one.ok)
  const authorizers = await openAuthorizers(config, parts)
  const chain = authorizers.ok ? authorizers.value : undefined
  const all = opened.flatMap((one): ExternalPart[] => (one.ok && one.value !== undefined ? [one.value] : []))
  if (chain !== undefined) all.push(chain)
  if (failed !== undefined || !authorizers.ok) {
    for (const part of all) part.close()
    return failed !== undefined && !failed.ok ? failed : fail(authorizers.ok ? '' : authorizers.failure)
  }
  const { requestHeader } = config
  return ok({
    requestHeader: requestHeader === undefined ? undefined : createRequestHeaderAuthenticator(requestHeader),
    authorizers: chain,
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

/** How long a webhook that flags name may take, all attempts together. */
const webhookTimeoutMs = 30_000

async function openAuthorizers(
  { authorizationWebhook, authorizationConfigFile }: ExternalAccessConfig,
  parts: ExternalAccessParts,
): Promise<Result<AuthorizerChain | undefined, string>> {
  if (authorizationConfigFile !== undefined) return openReloadedChain(authorizationConfigFile, parts)
  if (authorizationWebhook === undefined) return ok(undefined)
  const { modes, configFile, ...rest } = authorizationWebhook
  const settings = modes.map(
    (mode): AuthorizerSettings =>
      mode === 'Webhook'
        ? {
            type: 'webhook',
            webhook: {
              name: 'default',
              kubeconfigFile: configFile,
              timeoutMs: webhookTimeoutMs,
              failurePolicy: 'NoOpinion',
              matchConditions: [],
              ...rest,
            },
          }
        : { type: 'builtIn', mode, name: mode.toLowerCase() },
  )
  const chain = await openFixedChain(settings, parts)
  return chain.ok ? chain : fail(`--authorization-webhook-config-file ${chain.failure}`)
}

type Opened = Promise<Result<ExternalPart | undefined, string>>

async function openOidc({ oidc }: ExternalAccessConfig, parts: ExternalAccessParts): Opened {
  if (oidc === undefined) return ok(undefined)
  const { caFile } = oidc
  const ca = caFile === undefined ? undefined : await parts.outside.readFile(caFile)
  if (ca !== undefined && !ca.ok) return fail(`--oidc-ca-file ${caFile} ${ca.failure}`)
  const settings = oidcSettings(oidc, { ca: ca?.value, disallowedIssuers: parts.disallowedIssuers })
  if (!settings.ok) return settings
  const metrics = new JwtMetrics()
  const authenticator = createOidcAuthenticator([settings.value], {
    ...parts,
    metrics,
    outside: caFile === undefined ? parts.outside : rotatingOutside(caFile, parts),
  })
  if (!authenticator.ok) return authenticator
  const { start, close } = authenticator.value
  return ok({
    tokens: createAudienceAgnostic(authenticator.value, parts.apiAudiences),
    metricsText: () => metrics.text(),
    start,
    close,
  })
}

/** The CA of the provider is looked at again while it is used. */
function rotatingOutside(
  caFile: string,
  { outside, clock }: ExternalAccessParts,
): Pick<Outside, 'httpClient'> {
  async function read(): Promise<Result<HttpClientOptions, string>> {
    const ca = await outside.readFile(caFile)
    return ca.ok ? ok({ ca: ca.value }) : ca
  }
  return { httpClient: (options) => createRotatingClient(options, { outside, clock, read }) }
}

async function openAuthenticationFile(
  { authenticationConfigFile: path }: ExternalAccessConfig,
  parts: ExternalAccessParts,
): Opened {
  if (path === undefined) return ok(undefined)
  const opened = await openReloadedAuthentication({ path, ...parts })
  if (!opened.ok) return opened
  return ok({ ...opened.value, tokens: createAudienceAgnostic(opened.value.tokens, parts.apiAudiences) })
}

async function openTokenWebhook({ tokenWebhook }: ExternalAccessConfig, parts: ExternalAccessParts): Opened {
  if (tokenWebhook === undefined) return ok(undefined)
  const { configFile, version, cacheTtlMs } = tokenWebhook
  const endpoint = await openEndpoint(configFile, parts.outside, parts.clock)
  if (!endpoint.ok) return fail(`--authentication-token-webhook-config-file ${endpoint.failure}`)
  const apiVersion = `${parts.names.expand('authentication.{groups}')}/${version}`
  return ok({
    tokens: createWebhookTokenAuthenticator({ endpoint: endpoint.value, apiVersion, cacheTtlMs, ...parts }),
    start() {},
    close: () => endpoint.value.client.close(),
  })
}

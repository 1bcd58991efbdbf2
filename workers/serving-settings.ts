/** What a process that serves is told, and what the API server gets of it. Plain data: it goes to other processes. */

import { randomBytes } from 'node:crypto'
import type { AuditLog } from '../src/audit/open-audit.ts'
import type { ServiceAccountOptions } from '../src/authn/service-account/options.ts'
import type { AbacPolicy } from '../src/authz/abac/policy.ts'
import type { CsrSigningOptions } from '../src/certificates/signing-options.ts'
import type { ExternalAccess } from '../src/config/external-access.ts'
import type { AuthenticationTrust } from '../src/controllers/authentication-trust.ts'
import { createNames } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import type { Outside } from '../src/outside/outside.ts'
import type { BuildInfo, ServerOptions, StaticToken } from '../src/server.ts'
import { systemClock } from '../store/clock.ts'
import type { Store } from '../store/contract.ts'
import type { AuditKeeper, AuditSettings } from './audit/open.ts'
import type { ApiConfig } from './flags/config.ts'
import type { TlsMaterial } from './http/tls-material.ts'
import type { Renewable } from './renewal.ts'

export interface ServingSettings {
  readonly api: ApiConfig
  readonly build: BuildInfo
  readonly staticTokens: readonly StaticToken[]
  readonly abacPolicies: readonly AbacPolicy[]
  readonly serviceAccounts: ServiceAccountOptions
  /** PEM text. */
  readonly rootCa: string
  /** undefined = nobody signs certificate requests. */
  readonly clusterSigning: CsrSigningOptions | undefined
  readonly secure: {
    readonly host: string
    readonly port: number
    readonly tls: TlsMaterial
    /** Absent = as the flags are by default. */
    readonly http2?: { readonly streamsMax: number }
  }
  /** undefined = no plaintext. */
  readonly plain: { readonly host: string; readonly port: number } | undefined
  /** Discovery names it, with the port of the TLS listener. */
  readonly advertiseHost: string
  /** Take part in the election of the built-in controllers. */
  readonly controllers: boolean
  /** Who this server is in that election. */
  readonly controllerIdentity: string
  /** Absent = nothing is written down of requests. */
  readonly audit?: AuditSettings
}

/** What this process has beside its settings. */
export interface ServingParts {
  readonly store: Store
  readonly log: Log
  /** Absent = the metrics of this process alone. */
  readonly collectMetrics?: () => Promise<string>
  /** Absent = nobody keeps the audit log in order. */
  readonly auditKeeper?: AuditKeeper
}

interface ServerParts extends ServingParts {
  readonly external: ExternalAccess | undefined
  readonly audit: AuditLog | undefined
  /** Certificates and CAs as they are now. */
  readonly current: () => Renewable
}

/** Loaded when somebody outside is asked: most servers never do. */
export async function outsideOfMachine(): Promise<Outside> {
  return (await import('./outside/outside.ts')).machineOutside
}

/** @param port of the TLS listener */
export function serverOptions(
  settings: ServingSettings,
  { store, log, collectMetrics, external, audit, current }: ServerParts,
  port: number,
): ServerOptions {
  const {
    api,
    build,
    staticTokens,
    abacPolicies,
    serviceAccounts,
    rootCa,
    clusterSigning,
    advertiseHost,
    controllers,
  } = settings
  return {
    store,
    log,
    build,
    staticTokens,
    abacPolicies,
    serviceAccounts,
    rootCa,
    ...(clusterSigning === undefined
      ? {}
      : { clusterSigning: () => current().clusterSigning ?? clusterSigning }),
    bootstrapTokens: api.bootstrapTokens,
    legacyTokenIdleMs: api.legacyTokenIdleMs,
    selectedControllers: api.controllers,
    authorizationModes: api.authorizationModes,
    anonymousAuth: api.anonymousAuth,
    controllers,
    identity: settings.controllerIdentity,
    advertiseAddress: { host: advertiseHost, port },
    outside: outsideOfMachine,
    names: createNames(api.dialect),
    clock: systemClock,
    randomBytes,
    runtimeConfig: api.runtimeConfig,
    featureGates: api.featureGates,
    showHiddenMetrics: api.showHiddenMetrics,
    admissionPlugins: api.admissionPlugins,
    eventTtlMs: api.eventTtlMs,
    services: api.services,
    minRequestTimeoutMs: api.minRequestTimeoutMs,
    requestTimeoutMs: api.requestTimeoutMs,
    livezGracePeriodMs: api.livezGracePeriodMs,
    flowControl: api.flowControl,
    nodeAgents: api.nodeAgents,
    trust: () => trustOf(api, current().tls),
    ...(external === undefined ? {} : { external }),
    ...(audit === undefined ? {} : { audit }),
    ...(collectMetrics === undefined ? {} : { collectMetrics }),
  }
}

function trustOf({ external }: ApiConfig, { clientCa, proxyCa }: TlsMaterial): AuthenticationTrust {
  const { requestHeader } = external
  return {
    clientCa,
    requestHeader:
      requestHeader === undefined || proxyCa === undefined ? undefined : { ...requestHeader, ca: proxyCa },
  }
}

/** What the server is started with: flags, checked against each other and completed. Starts and reads nothing. */

import { isIP } from 'node:net'
import { join } from 'node:path'
import { type PluginChoice, selectPlugins } from '../../src/admission/selection.ts'
import type { AuthorizationMode } from '../../src/authz/modes.ts'
import type { ExternalAccessConfig } from '../../src/config/external-access.ts'
import type { NodeAgentOptions } from '../../src/connect/node-agents.ts'
import { selectControllers } from '../../src/controllers/selection.ts'
import type { FlowControlOptions } from '../../src/flowcontrol/options.ts'
import type { DialectName } from '../../src/names/names.ts'
import type { ServiceRanges } from '../../src/registry/services/service-allocation.ts'
import { checkFeatureGates } from '../../src/types/feature-gates.ts'
import type { RuntimeConfig } from '../../src/types/resource.ts'
import { ok, type Result } from '../../store/contract.ts'
import { type AuditConfig, auditConfig, auditContradiction } from './audit.ts'
import { clusterContradiction, type ReplicationConfig, replicationConfig } from './cluster.ts'
import {
  type ClusterSigningConfig,
  clusterSigningConfig,
  clusterSigningContradiction,
} from './cluster-signing.ts'
import { externalAccessConfig, externalAccessContradiction } from './external-access.ts'
import { flowControlContradiction, flowControlOptions } from './flow-control.ts'
import { nodeAgentContradiction, nodeAgentOptions } from './node-agents.ts'
import {
  type ServiceAccountConfig,
  serviceAccountConfig,
  serviceAccountContradiction,
} from './service-accounts.ts'
import type { FlagValues } from './table.ts'
import type { LogLevel } from './tables/logs.ts'
import { type UsageFailure, usage } from './words.ts'

export interface LogConfig {
  readonly level: LogLevel
  readonly format: 'text' | 'json'
}

/** Times in milliseconds. */
export interface ApiConfig {
  readonly dialect: DialectName
  readonly runtimeConfig: RuntimeConfig
  readonly featureGates: ReadonlyMap<string, boolean>
  readonly showHiddenMetrics: boolean
  readonly admissionPlugins: PluginChoice
  readonly authorizationModes: readonly AuthorizationMode[]
  /** OpenID providers, webhooks, a proxy. */
  readonly external: ExternalAccessConfig
  readonly nodeAgents: NodeAgentOptions
  readonly anonymousAuth: boolean
  readonly bootstrapTokens: boolean
  readonly legacyTokenIdleMs: number
  /** As `--controllers`. */
  readonly controllers: readonly string[]
  readonly eventTtlMs: number
  readonly services: ServiceRanges
  readonly minRequestTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly livezGracePeriodMs: number
  readonly flowControl: FlowControlOptions
}

export interface Config {
  readonly dataDir: string
  readonly historyMs: number
  /** undefined = alone. */
  readonly replication: ReplicationConfig | undefined
  readonly api: ApiConfig
  readonly bindAddress: string
  readonly securePort: number
  /** undefined = no plaintext. */
  readonly httpPort: number | undefined
  readonly http2StreamsMax: number
  readonly advertiseAddress: string | undefined
  readonly externalHostname: string | undefined
  readonly tlsFiles: { readonly certificate: string; readonly privateKey: string } | undefined
  readonly tlsSans: readonly string[]
  readonly clientCaFile: string | undefined
  readonly rootCaFile: string | undefined
  readonly requestHeaderCaFile: string | undefined
  readonly tokenAuthFile: string | undefined
  readonly authorizationPolicyFile: string | undefined
  readonly serviceAccounts: ServiceAccountConfig
  readonly clusterSigning: ClusterSigningConfig
  /** 0 = everything in one process. */
  readonly workers: number
  readonly shutdownDelayMs: number
  readonly log: LogConfig
  /** undefined = nothing is written down of requests. */
  readonly audit: AuditConfig | undefined
}

/** What the defaults depend on. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  /** Cores that this process may use. */
  readonly cores: number
}

/** What the flags mean together. The failure names the flags that contradict each other. */
export function configOf(values: FlagValues, surroundings: Surroundings): Result<Config, UsageFailure> {
  const problem = contradiction(values)
  if (problem !== undefined) return usage(problem)
  const certificate = values['tls-cert-file']
  const privateKey = values['tls-private-key-file']
  return ok({
    dataDir: values['data-dir'] ?? defaultDataDir(surroundings),
    historyMs: set(values['history-duration']),
    replication: replicationConfig(values),
    api: {
      dialect: set(values['api-dialect']),
      runtimeConfig: values['runtime-config'] ?? new Map(),
      featureGates: values['feature-gates'] ?? new Map(),
      showHiddenMetrics: values['show-hidden-metrics-for-version'] !== undefined,
      admissionPlugins: pluginChoice(values),
      authorizationModes: values['authorization-mode'] ?? ['Node', 'RBAC'],
      external: externalAccessConfig(values),
      nodeAgents: nodeAgentOptions(values),
      anonymousAuth: values['anonymous-auth'] ?? !allowsAll(values),
      legacyTokenIdleMs: set(values['legacy-service-account-token-clean-up-period']),
      bootstrapTokens: set(values['enable-bootstrap-token-auth']),
      controllers: set(values['controllers']),
      eventTtlMs: set(values['event-ttl']),
      services: {
        addresses: set(values['service-cluster-ip-range']),
        nodePorts: set(values['service-node-port-range']),
      },
      minRequestTimeoutMs: set(values['min-request-timeout']),
      requestTimeoutMs: set(values['request-timeout']),
      livezGracePeriodMs: set(values['livez-grace-period']),
      flowControl: flowControlOptions(values, values['workers'] ?? surroundings.cores),
    },
    bindAddress: set(values['bind-address']),
    securePort: set(values['secure-port']),
    httpPort: values['http-port'],
    http2StreamsMax: set(values['http2-max-streams-per-connection']),
    advertiseAddress: values['advertise-address'],
    externalHostname: values['external-hostname'],
    tlsFiles: certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey },
    tlsSans: values['tls-sans'] ?? [],
    clientCaFile: values['client-ca-file'],
    rootCaFile: values['root-ca-file'],
    requestHeaderCaFile: values['requestheader-client-ca-file'],
    tokenAuthFile: values['token-auth-file'],
    authorizationPolicyFile: values['authorization-policy-file'],
    serviceAccounts: serviceAccountConfig(values),
    clusterSigning: clusterSigningConfig(values),
    workers: values['workers'] ?? surroundings.cores,
    shutdownDelayMs: set(values['shutdown-delay-duration']),
    log: { level: set(values['log-level']), format: set(values['log-format']) },
    audit: auditConfig(values),
  })
}

function contradiction(values: FlagValues): string | undefined {
  const { 'tls-cert-file': certificate, 'tls-private-key-file': key } = values
  if (certificate !== undefined && key === undefined) return '--tls-cert-file needs --tls-private-key-file'
  if (key !== undefined && certificate === undefined) return '--tls-private-key-file needs --tls-cert-file'
  if (certificate !== undefined && values['tls-sans'] !== undefined) {
    return '--tls-sans is for the certificate that the server makes: it contradicts --tls-cert-file'
  }
  const { 'secure-port': secure, 'http-port': http } = values
  if (http !== undefined && http !== 0 && http === secure) {
    return `--secure-port and --http-port are both ${http}: one port speaks either TLS or plaintext`
  }
  const { 'advertise-address': advertise } = values
  if (advertise !== undefined && isIP(advertise) === 0)
    return `--advertise-address ${advertise} is no IP address`
  const hostname = values['external-hostname']
  if (hostname !== undefined && /[\s:/]/.test(hostname))
    return `--external-hostname ${hostname} is no host name`
  const gates = checkFeatureGates(values['feature-gates'] ?? new Map())
  if (!gates.ok) return `--feature-gates: ${gates.failure}`
  const access =
    accessContradiction(values) ??
    externalAccessContradiction(values) ??
    nodeAgentContradiction(values) ??
    clusterContradiction(values) ??
    serviceAccountContradiction(values) ??
    clusterSigningContradiction(values) ??
    flowControlContradiction(values) ??
    auditContradiction(values)
  if (access !== undefined) return access
  const controllers = selectControllers(set(values['controllers']))
  if (!controllers.ok) return controllers.failure
  const plugins = selectPlugins(pluginChoice(values))
  return plugins.ok ? undefined : plugins.failure
}

function pluginChoice(values: FlagValues): PluginChoice {
  const { 'enable-admission-plugins': enable = [], 'disable-admission-plugins': disable = [] } = values
  return { enable, disable }
}

function accessContradiction(values: FlagValues): string | undefined {
  const usesPolicies = values['authorization-mode']?.includes('ABAC') === true
  const hasPolicies = values['authorization-policy-file'] !== undefined
  if (usesPolicies && !hasPolicies) return '--authorization-mode ABAC needs --authorization-policy-file'
  if (hasPolicies && !usesPolicies) return '--authorization-policy-file needs --authorization-mode ABAC'
  return values['anonymous-auth'] === true && allowsAll(values)
    ? '--anonymous-auth contradicts --authorization-mode AlwaysAllow: everybody could do everything'
    : undefined
}

function allowsAll(values: FlagValues): boolean {
  return values['authorization-mode']?.includes('AlwaysAllow') === true
}

/** Flags with a default always have a value. */
function set<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a flag with a default has no value')
  return value
}

/** Where data lies when nobody said. */
export function defaultDataDir({ environment, homeDirectory }: Omit<Surroundings, 'cores'>): string {
  const base = environment['XDG_DATA_HOME']
  const data = base?.startsWith('/') ? base : join(homeDirectory, '.local', 'share')
  return join(data, 'cluster-apiserver')
}

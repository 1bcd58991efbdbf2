/**
 * The API server as one object: everything between a transport's `Exchange` and the store. Built by a worker process,
 * or inside a test process by the embedding entry point.
 */

import type { Clock, Store } from '../store/contract.ts'
import type { PluginChoice } from './admission/selection.ts'
import type { AuditLog } from './audit/open-audit.ts'
import type { ServiceAccountOptions } from './authn/service-account/options.ts'
import type { AbacPolicy } from './authz/abac/policy.ts'
import type { AuthorizationMode } from './authz/modes.ts'
import type { CsrSigningOptions } from './certificates/signing-options.ts'
import type { ExternalAccess } from './config/external-access.ts'
import type { NodeAgentOptions } from './connect/node-agents.ts'
import type { AuthenticationTrust } from './controllers/authentication-trust.ts'
import type { FlowControlOptions } from './flowcontrol/options.ts'
import type { Names } from './names/names.ts'
import type { Log } from './observe/log.ts'
import type { Outside } from './outside/outside.ts'
import type { Handler } from './pipeline/exchange.ts'
import type { ServiceRanges } from './registry/services/service-allocation.ts'
import type { RuntimeConfig } from './types/resource.ts'

/** What `/version` says; the build's facts. */
export interface BuildInfo {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly buildDate: string
}

export interface ServerOptions {
  readonly store: Store
  readonly names: Names
  readonly clock: Clock
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (count: number) => Buffer
  readonly log: Log
  readonly build: BuildInfo
  readonly runtimeConfig: RuntimeConfig
  readonly featureGates: ReadonlyMap<string, boolean>
  /** Bearer tokens that are valid from the start. Compared in constant time. */
  readonly staticTokens: readonly StaticToken[]
  /** Issues and believes tokens of service accounts; absent = there are none. Its keys have been read before. */
  readonly serviceAccounts?: ServiceAccountOptions
  /** How services are reached that the API names: admission webhooks. Asked for when there is one. */
  readonly outside: () => Promise<Outside>
  /** How the agents of nodes are reached (`--kubelet-*`); absent = as the flags have it by default. */
  readonly nodeAgents?: NodeAgentOptions
  /** Access control that rests on others; absent = there is none. Closed with the server. */
  readonly external?: ExternalAccess
  /** What is written down of requests, and where; absent = nothing. Closed with the server. */
  readonly audit?: AuditLog
  /** What extension servers are told; absent = nothing. */
  readonly trust?: () => AuthenticationTrust
  /** Text of all processes' metrics together; absent = this process alone. */
  readonly collectMetrics?: () => Promise<string>
  /** Connections so far whose TLS handshake failed; absent = the server does not know of any. */
  readonly handshakeErrors?: () => number
  /** Metrics that are hidden because they have been deprecated are shown all the same; absent = no. */
  readonly showHiddenMetrics?: boolean
  /** Modules in the order in which they are asked (`--authorization-mode`); absent = Node, RBAC. */
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Lines of `--authorization-policy-file`, for the module ABAC. */
  readonly abacPolicies?: readonly AbacPolicy[]
  /** Requests without a credential are those of `system:anonymous`; absent = yes. False = they are refused. */
  readonly anonymousAuth?: boolean
  /** `--enable-admission-plugins`, `--disable-admission-plugins`; absent = those that are on by default. */
  readonly admissionPlugins?: PluginChoice
  /** Events are removed this long after their last write (`--event-ttl`). Milliseconds. */
  readonly eventTtlMs: number
  /** Watches without timeoutSeconds end after a random time between this and twice this (`--min-request-timeout`). */
  readonly minRequestTimeoutMs: number
  /** Longest that a request other than a watch may take (`--request-timeout`). */
  readonly requestTimeoutMs: number
  /** After start, `/livez` does not fail for this long for a server that is not yet ready (`--livez-grace-period`). */
  readonly livezGracePeriodMs: number
  /** How many requests are served at a time, and whose turn it is; absent = as the flags have it by default. */
  readonly flowControl?: FlowControlOptions
  /** Where services get addresses and node ports (`--service-cluster-ip-range`, `--service-node-port-range`). */
  readonly services: ServiceRanges
  /** The address that the self service and discovery (`serverAddressByClientCIDRs`) name: `host:port`. */
  readonly advertiseAddress: { readonly host: string; readonly port: number }
  /**
   * Take part in the election of the process that runs the built-in controllers; absent = yes. Of several servers over
   * one store, one runs them at a time.
   */
  readonly controllers?: boolean
  /** Which of them: `*`, `name`, `-name` (`--controllers`); absent = those that are on by default. */
  readonly selectedControllers?: readonly string[]
  /** Bootstrap tokens count as bearer tokens (`--enable-bootstrap-token-auth`); absent = no. */
  readonly bootstrapTokens?: boolean
  /** The CA that signs approved certificate requests (`--cluster-signing-cert-file`, …); absent = nobody signs. */
  readonly clusterSigning?: () => CsrSigningOptions
  /**
   * Tokens that were put into secrets are void after this long without use, and deleted after as long again
   * (`--legacy-service-account-token-clean-up-period`); absent = a year. Milliseconds.
   */
  readonly legacyTokenIdleMs?: number
  /** PEM text: what pods trust when they speak with this server; absent = nobody is told. */
  readonly rootCa?: string
  /**
   * Who this server is in that election: unique among the servers over one store, the same after a restart, so that it
   * need not wait for its own lease to run out. Absent = a new one each time.
   */
  readonly identity?: string
}

export interface StaticToken {
  readonly token: string
  readonly user: { readonly name: string; readonly uid: string; readonly groups: readonly string[] }
}

export interface ApiServer {
  readonly handler: Handler
  /** Makes the system's own objects where they are missing, and warms what the first request needs. */
  start(): Promise<void>
  /** From now on `/readyz` fails; everything else goes on. First step of a graceful stop. */
  drain(): void
  /** Ends watches cleanly, waits for requests in flight (bounded by the caller), stops caches. Does not close the store. */
  close(): Promise<void>
  /** Prometheus text of this process. */
  metricsText(): Promise<string>
  /** Requests being served now, watches included. */
  inFlight(): { readonly requests: number; readonly watches: number }
}

/**
 * A control plane inside this process: for tests of controllers, for tools, for programs that want a resource API of
 * their own. `import { startControlPlane } from 'cluster-apiserver'`.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SigningCa } from '../src/certificates/authority.ts'
import { defaultNodeAgents } from '../src/connect/node-agents.ts'
import { defaultFlowControl } from '../src/flowcontrol/options.ts'
import { createNames, type DialectName } from '../src/names/names.ts'
import { type Log, silentLog } from '../src/observe/log.ts'
import { defaultServiceRanges } from '../src/registry/services/settings.ts'
import { systemClock } from '../store/clock.ts'
import { openMember } from '../store/member/open.ts'
import { advertisedHost, localUrl } from './addresses.ts'
import { buildInfo } from './build.ts'
import { controllerIdentity } from './controller-identity.ts'
import { applyObjects, type GivenObject } from './embedding/objects.ts'
import { createOwnClient } from './embedding/own-client.ts'
import { kubeconfigOfUser, type User } from './embedding/user.ts'
import { clusterSigningDurationMs } from './flags/cluster-signing.ts'
import { defaultServiceAccountConfig } from './flags/service-accounts.ts'
import { openIdentity, type ServerIdentity } from './identity.ts'
import { createOwnCrew } from './own-crew.ts'
import { writeAtomically } from './pki/atomic-file.ts'
import { renderKubeconfig } from './pki/kubeconfig.ts'
import { together } from './together.ts'

export type { DialectName } from '../src/names/names.ts'
export type { Log, LogFields } from '../src/observe/log.ts'
export type { GivenObject } from './embedding/objects.ts'
export type { User } from './embedding/user.ts'

export interface ControlPlaneOptions {
  /** Kept when it stops. Absent = a temporary one, removed by `stop()`. */
  readonly dataDir?: string
  /** Identifiers that the API speaks; default `kubernetes`, which every client library speaks. */
  readonly dialect?: DialectName
  /** Of the TLS listener; default 127.0.0.1. */
  readonly bindAddress?: string
  /** Of the TLS listener; default 0 = one that is free. */
  readonly port?: number
  /** A plaintext listener on 127.0.0.1; 0 = a free port. Absent = none. */
  readonly httpPort?: number
  /** As `--runtime-config`: `{ 'resource.k8s.io/v1alpha2': true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>
  /** As `--feature-gates`. */
  readonly featureGates?: Readonly<Record<string, boolean>>
  /** As `--enable-admission-plugins` and `--disable-admission-plugins`: `{ disable: ['ServiceAccount'] }`. */
  readonly admissionPlugins?: {
    readonly enable?: readonly string[]
    readonly disable?: readonly string[]
  }
  /** How long old versions are kept, milliseconds; default five minutes. */
  readonly historyMs?: number
  /** How long events are kept, milliseconds; default one hour. */
  readonly eventTtlMs?: number
  /** Default: nothing is logged. */
  readonly log?: Log
  /** Put in before the promise resolves, as by {@link ControlPlane.apply}. */
  readonly objects?: readonly GivenObject[]
}

export interface ControlPlane {
  /** `https://127.0.0.1:…`. */
  readonly url: string
  /** `http://127.0.0.1:…`; undefined without `httpPort`. */
  readonly httpUrl: string | undefined
  /** PEM text of the CA that signed the serving certificate. */
  readonly ca: string
  /** A bearer token of the administrator. */
  readonly token: string
  /** A client configuration of the administrator, YAML text: `new KubeConfig().loadFromString(kubeconfig)`. */
  readonly kubeconfig: string
  /** The same as a file, mode 0600: `KUBECONFIG=…`. */
  readonly kubeconfigPath: string
  readonly dataDir: string
  /**
   * Creates or changes objects as the administrator (server-side apply, forced). Given are objects, and paths of YAML and
   * JSON files or of directories of them. Custom resource definitions come first, and are served before the rest is put
   * in. Resolves to the objects as the server has them. Rejects with an Error that says which was refused, and why.
   */
  apply(...given: readonly GivenObject[]): Promise<readonly object[]>
  /** A client configuration of another user, who may do what roles say: YAML text with a certificate of a year. */
  kubeconfigOf(user: User): Promise<string>
  /** Ends watches, finishes requests (5 s at most), closes the store, removes a temporary directory. Idempotent. */
  stop(): Promise<void>
  /** `await using controlPlane = await startControlPlane()`. */
  [Symbol.asyncDispose](): Promise<void>
}

const graceMs = 5_000
const plainHost = '127.0.0.1'

/**
 * Starts one, ready for clients. Several may run in one process.
 * Rejects with an Error that says what is wrong: the port is in use, the directory is another server's, an option
 * names what there is not.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const temporary =
    options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'cluster-apiserver-')) : undefined
  const removeTemporary = async (): Promise<void> => {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
  try {
    return await start(options, options.dataDir ?? temporary ?? '', removeTemporary)
  } catch (error) {
    await removeTemporary()
    throw error
  }
}

async function start(
  options: ControlPlaneOptions,
  dataDir: string,
  afterStop: () => Promise<void>,
): Promise<ControlPlane> {
  const { dialect = 'kubernetes', bindAddress = '127.0.0.1', log = silentLog } = options
  const { member, identity } = await open(options, { dataDir, dialect, bindAddress })
  const crew = createOwnCrew(member.store, log)
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    await crew.stop(graceMs)
    await member.close()
    await afterStop()
  }
  try {
    const starting = crew.start({
      api: {
        dialect,
        runtimeConfig: new Map(Object.entries(options.runtimeConfig ?? {})),
        featureGates: new Map(Object.entries(options.featureGates ?? {})),
        showHiddenMetrics: false,
        admissionPlugins: options.admissionPlugins ?? {},
        authorizationModes: ['Node', 'RBAC'],
        external: {},
        nodeAgents: defaultNodeAgents,
        anonymousAuth: true,
        bootstrapTokens: false,
        legacyTokenIdleMs: 31_536_000_000,
        controllers: ['*'],
        eventTtlMs: options.eventTtlMs ?? 3_600_000,
        services: defaultServiceRanges(),
        minRequestTimeoutMs: 1_800_000,
        requestTimeoutMs: 60_000,
        livezGracePeriodMs: 0,
        flowControl: defaultFlowControl,
      },
      build: buildInfo(),
      staticTokens: identity.staticTokens,
      abacPolicies: identity.abacPolicies,
      serviceAccounts: identity.serviceAccounts,
      rootCa: identity.ca,
      clusterSigning: identity.clusterSigning,
      secure: { host: bindAddress, port: options.port ?? 0, tls: identity.tls },
      plain: options.httpPort === undefined ? undefined : { host: plainHost, port: options.httpPort },
      advertiseHost: advertisedHost(undefined, bindAddress),
      controllers: true,
      controllerIdentity: controllerIdentity(member.identity),
    })
    // The disk's time costs none of ours. Who has no certificate cannot use the server before.
    const started = await together(starting, identity.save())
    if (!started.ok) throw new Error(started.failure.message)
    const [secure, plain] = started.value.listeners
    if (secure === undefined) throw new TypeError('no listener')
    const url = localUrl('https', bindAddress, secure.port)
    const kubeconfigPath = join(dataDir, 'admin.kubeconfig')
    const cluster = { name: createNames(dialect).product, url, ca: identity.ca }
    const kubeconfig = renderKubeconfig({ ...cluster, credential: identity.adminCredential })
    await writeAtomically(kubeconfigPath, kubeconfig, 0o600)
    const apply = (...given: readonly GivenObject[]) =>
      applyThrough({ url, ca: identity.ca, token: identity.adminToken }, given)
    if (options.objects !== undefined) await apply(...options.objects)
    const stopOnce = (): Promise<void> => {
      stopped ??= stop()
      return stopped
    }
    return {
      url,
      httpUrl: plain === undefined ? undefined : localUrl('http', plainHost, plain.port),
      ca: identity.ca,
      token: identity.adminToken,
      kubeconfig,
      kubeconfigPath,
      dataDir,
      apply,
      kubeconfigOf: (user) => kubeconfigOfUser(user, cluster, ownCa(identity), Date.now()),
      stop: stopOnce,
      [Symbol.asyncDispose]: stopOnce,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function applyThrough(
  server: Parameters<typeof createOwnClient>[0],
  given: readonly GivenObject[],
): Promise<readonly object[]> {
  const client = createOwnClient(server)
  try {
    return await applyObjects(client, given)
  } finally {
    client.close()
  }
}

function ownCa({ clusterSigning }: ServerIdentity): SigningCa {
  const ca = clusterSigning?.cas['kube-apiserver-client']
  if (ca === undefined) throw new TypeError('an embedded control plane has a CA of its own')
  return ca
}

interface Place {
  readonly dataDir: string
  readonly dialect: DialectName
  readonly bindAddress: string
}

async function open({ historyMs }: ControlPlaneOptions, { dataDir, dialect, bindAddress }: Place) {
  const [member, identity] = await Promise.all([
    openMember({
      dataDir,
      clock: systemClock,
      identity: { dialect },
      ...(historyMs === undefined ? {} : { historyMs }),
    }),
    openIdentity({
      dataDir,
      bindAddress,
      api: { dialect, services: defaultServiceRanges() },
      advertiseAddress: undefined,
      externalHostname: undefined,
      tlsFiles: undefined,
      tlsSans: [],
      clientCaFile: undefined,
      rootCaFile: undefined,
      requestHeaderCaFile: undefined,
      tokenAuthFile: undefined,
      authorizationPolicyFile: undefined,
      serviceAccounts: defaultServiceAccountConfig,
      clusterSigning: { source: { type: 'own' }, durationMs: clusterSigningDurationMs },
    }),
  ])
  if (member.ok && identity.ok) return { member: member.value, identity: identity.value }
  if (member.ok) await member.value.close()
  if (!member.ok) throw new Error(member.failure.message)
  if (!identity.ok) throw new Error(identity.failure.message)
  throw new TypeError('unreachable')
}

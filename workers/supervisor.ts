/**
 * One server from start to stop: opens the data directory, has clients served, ends in good order.
 *
 *     open (identity ∥ store ∥ ports) → link → crew serves → ready
 *        SIGTERM → /readyz fails → delay → no new connections, watches end, requests finish → store closes → exit 0
 */

import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createNames } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import { checkFeatureGates } from '../src/types/feature-gates.ts'
import { systemClock } from '../store/clock.ts'
import { createLinkServer, type LinkServer } from '../store/link/server.ts'
import { createAdminServer } from '../store/member/admin.ts'
import type { Member } from '../store/member/open.ts'
import { advertisedHost, localUrl } from './addresses.ts'
import { describeReady } from './announce.ts'
import { keepAudit } from './audit/keeper.ts'
import { buildInfo } from './build.ts'
import { controllerIdentity } from './controller-identity.ts'
import type { Crew } from './crew.ts'
import type { Config } from './flags/config.ts'
import type { ServerIdentity } from './identity.ts'
import { chooseLinkPath } from './link-path.ts'
import { watchMember } from './member-watch.ts'
import { type Opened, open } from './opening.ts'
import { machineOutside } from './outside/outside.ts'
import { writeAtomically } from './pki/atomic-file.ts'
import { renderKubeconfig } from './pki/kubeconfig.ts'
import type { Pool } from './pool.ts'
import { plainHost } from './ports.ts'
import { followRenewals } from './renewal.ts'
import { publishedUnder } from './service-accounts.ts'
import type { ServingSettings } from './serving-settings.ts'
import type { StartFailure } from './start-failure.ts'
import { together } from './together.ts'

/** Requests in flight get this long after the listeners are closed. */
const graceMs = 60_000
export interface SupervisorParts {
  readonly config: Config
  /** The worker processes, already loading; undefined = everything in this process. */
  readonly pool: Pool | undefined
  readonly log: Log
  /** For people: what is printed when the server is ready. */
  readonly print: (text: string) => void
  /** Calls back for each SIGTERM or SIGINT. */
  readonly onStopSignal: (action: (signal: string) => void) => void
  /** Ends the process now. */
  readonly exit: (code: number) => void
}

/** Settles with the exit code when the server has ended. */
export async function supervise(parts: SupervisorParts): Promise<number> {
  const { config, log, pool } = parts
  const stop = stopRequest(parts)
  warnOfGates(config, log)
  const opened = await open(config, log)
  if (!opened.ok) return failed(parts, opened.failure, pool)
  const { member, identity } = opened.value
  const fatal = new Promise<string>((resolve) =>
    member.onFatal((failure) => resolve(`the store stopped: ${failure.message}`)),
  )
  const admin = createAdminServer(member, config.dataDir)
  await admin.start()
  const watch = watchMember({ cluster: member.cluster, clock: systemClock, log })
  pool?.setMemberMetrics(() => watch.metricsText())
  const link = pool === undefined ? undefined : await openLink(config, member, pool, log)
  const audit = keepAudit(config.audit, () => crew, log)
  pool?.setAuditKeeper(audit.keeper)
  const crew: Crew =
    pool ??
    (await import('./own-crew.ts')).createOwnCrew(member.store, log, {
      memberMetrics: () => watch.metricsText(),
      auditKeeper: audit.keeper,
    })
  const settings = servingSettings(config, opened.value)
  // The disk's time costs none of ours. Who has no certificate cannot use the server before.
  const saving = saveIdentity(parts, identity, opened.value.ports.secure)
  const started = await together(
    Promise.race([crew.start(settings), stop.then(() => undefined), fatal]),
    saving,
  )
  const kubeconfigPath = await saving
  const close = async (): Promise<void> => {
    watch.close()
    await audit.close()
    await link?.close()
    await admin.close()
    await member.close()
  }
  if (typeof started === 'string' || started?.ok === false) {
    const message = typeof started === 'string' ? started : started.failure.message
    await close()
    return failed(parts, { code: 'CannotStart', message }, crew)
  }
  const renewals = followRenewals({
    files: config,
    first: identity,
    outside: machineOutside,
    clock: systemClock,
    log,
    randomBytes,
    renewed: (all) => crew.renew(all),
  })
  if (started !== undefined) {
    renewals.start()
    const { listeners, plainNote } = started.value
    const { dataDir, api, workers } = config
    parts.print(
      describeReady({
        listeners,
        plainNote,
        workers,
        kubeconfigPath,
        dialect: api.dialect,
        dataDir: resolve(dataDir),
        // Since the process began.
        tookMs: performance.now(),
      }),
    )
  }
  const why = await Promise.race([stop, fatal.then((message) => ({ message }))])
  renewals.close()
  if ('message' in why) log.error(why.message)
  else await shutDown(config, crew, why.signal, log)
  if ('message' in why) await crew.stop(0)
  await close()
  log.info('stopped')
  return 'message' in why ? 1 : 0
}

/** The first signal asks for the end in good order; a second one does not wait for it. */
function stopRequest({ onStopSignal, exit, log }: SupervisorParts): Promise<{ readonly signal: string }> {
  return new Promise((resolve) => {
    let asked = false
    onStopSignal((signal) => {
      if (asked) {
        log.warn('stopped at once', { signal })
        exit(1)
      }
      asked = true
      resolve({ signal })
    })
  })
}

async function shutDown({ shutdownDelayMs }: Config, crew: Crew, signal: string, log: Log): Promise<void> {
  log.info('stopping', { signal, delayMs: shutdownDelayMs })
  crew.drain()
  if (shutdownDelayMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, shutdownDelayMs))
  await crew.stop(graceMs)
}

async function failed(
  { log }: SupervisorParts,
  failure: StartFailure,
  crew: Crew | undefined,
): Promise<number> {
  log.error(failure.message)
  crew?.kill()
  return 1
}

/** Settings that are refused have been refused with the flags. */
function warnOfGates({ api: { featureGates } }: Config, log: Log): void {
  const checked = checkFeatureGates(featureGates)
  if (checked.ok) for (const warning of checked.value) log.warn(warning)
}

async function openLink(
  { dataDir }: Config,
  { store }: Member,
  pool: Pool,
  log: Log,
): Promise<Pick<LinkServer, 'close'>> {
  const { path, remove } = await chooseLinkPath(dataDir)
  const server = createLinkServer({
    store,
    path,
    onLinkError: (reason) => log.warn('a link to a worker was closed', { reason }),
  })
  await server.start()
  pool.setLinkPath(path)
  return {
    async close() {
      await server.close()
      await remove()
    },
  }
}

function servingSettings(config: Config, { member, identity, ports, audit }: Opened): ServingSettings {
  const { api, bindAddress, advertiseAddress } = config
  return {
    api,
    build: buildInfo(),
    staticTokens: identity.staticTokens,
    abacPolicies: identity.abacPolicies,
    serviceAccounts: publishedUnder(identity.serviceAccounts, config.externalHostname, ports.secure),
    rootCa: identity.ca,
    clusterSigning: identity.clusterSigning,
    secure: {
      host: bindAddress,
      port: ports.secure,
      tls: identity.tls,
      http2: { streamsMax: config.http2StreamsMax },
    },
    plain: ports.plain === undefined ? undefined : { host: plainHost, port: ports.plain },
    advertiseHost: advertisedHost(advertiseAddress, bindAddress),
    controllers: true,
    controllerIdentity: controllerIdentity(member.identity),
    ...(audit === undefined ? {} : { audit }),
  }
}

/** Resolves with the path of the administrator's kubeconfig, the last of the files. */
async function saveIdentity(
  { config, log }: SupervisorParts,
  identity: ServerIdentity,
  port: number,
): Promise<string> {
  await identity.save()
  for (const what of identity.made) log.info('made', { what, in: config.dataDir })
  const path = join(resolve(config.dataDir), 'admin.kubeconfig')
  const text = renderKubeconfig({
    name: createNames(config.api.dialect).product,
    url: localUrl('https', config.bindAddress, port),
    ca: identity.ca,
    credential: identity.adminCredential,
  })
  await writeAtomically(path, text, 0o600)
  return path
}

/** The start of a server, as far as nobody is served yet: its ports are free, its store open, its certificates there. */

import { createNames } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import { systemClock } from '../store/clock.ts'
import { ok, type Result } from '../store/contract.ts'
import { type Member, openMember } from '../store/member/open.ts'
import { auditSettings } from './audit/keeper.ts'
import type { AuditSettings } from './audit/open.ts'
import type { Config } from './flags/config.ts'
import { openIdentity, type ServerIdentity } from './identity.ts'
import { expiryWarning } from './pki/inspect.ts'
import { findPorts, type Ports } from './ports.ts'
import { openReplication } from './replication.ts'
import { cannotStart, type StartFailure } from './start-failure.ts'

/** When opening takes longer, somebody may wonder: say so, again and again. */
const progressMs = 2_000

export interface Opened {
  readonly member: Member
  /** Not saved yet. */
  readonly identity: ServerIdentity
  readonly ports: Ports
  /** Undefined = nothing is written down of requests. */
  readonly audit: AuditSettings | undefined
}

/** Ports first: who cannot have them has not touched the store. */
export async function open(config: Config, log: Log): Promise<Result<Opened, StartFailure>> {
  const audit =
    config.audit === undefined
      ? ok(undefined)
      : await auditSettings(config.audit, createNames(config.api.dialect))
  if (!audit.ok) return audit
  const ports = await findPorts(config)
  if (!ports.ok) return ports
  const replication = await openReplication(config.replication, log)
  if (!replication.ok) return replication
  const progress = setInterval(() => log.info('opening the store', { dataDir: config.dataDir }), progressMs)
  const [member, identity] = await Promise.all([
    openMember({
      dataDir: config.dataDir,
      clock: systemClock,
      historyMs: config.historyMs,
      identity: { dialect: config.api.dialect },
      ...(replication.value === undefined ? {} : { replication: replication.value }),
    }),
    openIdentity(config),
  ]).finally(() => clearInterval(progress))
  if (!member.ok) {
    const hint =
      member.failure.code === 'BadCluster'
        ? ' (flags --name, --initial-cluster, --initial-cluster-state)'
        : ''
    return cannotStart(`${member.failure.message}${hint}`)
  }
  if (!identity.ok) {
    await member.value.close()
    return identity
  }
  warnOfExpiry(log, [
    [
      'serving certificate',
      identity.value.tls.certificate,
      'renew it; its files are read again by themselves',
    ],
    ['peer certificate', replication.value?.tls?.certificate, 'renew it and restart'],
  ])
  return ok({ member: member.value, identity: identity.value, ports: ports.value, audit: audit.value })
}

function warnOfExpiry(
  log: Log,
  certificates: readonly (readonly [string, string | undefined, string])[],
): void {
  for (const [what, text, remedy] of certificates) {
    const warning = text === undefined ? undefined : expiryWarning(what, text, remedy, systemClock.wallMs())
    if (warning !== undefined) log.warn(warning)
  }
}

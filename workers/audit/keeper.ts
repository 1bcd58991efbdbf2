/** What the supervisor does for the audit log: reads the policy, makes the file, puts it aside when it is full. */

import type { Names } from '../../src/names/names.ts'
import type { Log } from '../../src/observe/log.ts'
import { systemClock } from '../../store/clock.ts'
import { ok, type Result } from '../../store/contract.ts'
import type { Crew } from '../crew.ts'
import type { AuditConfig } from '../flags/audit.ts'
import { readGiven } from '../given-files.ts'
import { cannotStart, type StartFailure } from '../start-failure.ts'
import { machineFiles } from './files.ts'
import { type AuditKeeper, type AuditSettings, noKeeper } from './open.ts'
import { createRotation } from './rotation.ts'

/** All processes get the policy as it was at start: they judge alike, those too that come later. */
export async function auditSettings(
  { policyFile, log, webhook, file }: AuditConfig,
  names: Names,
): Promise<Result<AuditSettings, StartFailure>> {
  const text = await readGiven('--audit-policy-file', policyFile)
  if (!text.ok) return text
  const { parseAuditPolicy } = await import('../../src/audit/policy-file.ts')
  const policy = parseAuditPolicy(text.value, names)
  if (!policy.ok) return cannotStart(`--audit-policy-file ${policyFile}: ${policy.failure}`)
  if (file !== undefined) {
    try {
      machineFiles.openToAppend(file.path).close()
    } catch (error) {
      return cannotStart(`--audit-log-path ${file.path}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return ok({
    options: { policy: policy.value, log, webhook },
    file: file === undefined ? undefined : { path: file.path, bytesMax: file.bytesMax },
  })
}

interface KeptAudit {
  readonly keeper: AuditKeeper
  /** Settles when nothing is put aside any more. */
  close(): Promise<void>
}

/** @param crew those who write; asked when a file has been put aside */
export function keepAudit(
  config: AuditConfig | undefined,
  crew: () => Pick<Crew, 'reopenAuditLog'>,
  log: Log,
): KeptAudit {
  const file = config?.file
  if (file === undefined) return { keeper: noKeeper, close: async () => {} }
  const rotation = createRotation({
    config: file,
    files: machineFiles,
    clock: systemClock,
    log,
    reopened: () => crew().reopenAuditLog(),
  })
  rotation.start()
  return {
    keeper: { ...noKeeper, full: (inode) => rotation.rotate(inode) },
    close: () => rotation.close(),
  }
}

import type { Result } from '../store/contract.ts'
import type { ServingFailure } from './listeners.ts'
import type { Renewable } from './renewal.ts'
import type { ListenerInfo } from './serving.ts'
import type { ServingSettings } from './serving-settings.ts'

/** Those who serve clients: worker processes, or this one. */
export interface Crew {
  /** Settles when all of them serve, or the first says that it never will. */
  start(settings: ServingSettings): Promise<Result<CrewReady, ServingFailure>>
  /** As `Serving.renew`, on all of them, and on those that come later. Not before `start` has settled. */
  renew(all: Renewable): void
  /** The file of the audit log has been put aside. Settles when none of them has it open any more. */
  reopenAuditLog(): Promise<void>
  /** `/readyz` fails on all of them from now on. */
  drain(): void
  /** As `Serving.stop`, on all of them; settles when all have ended. */
  stop(graceMs: number): Promise<void>
  /** Ends them at once. */
  kill(): void
}

export interface CrewReady {
  readonly listeners: readonly ListenerInfo[]
  readonly plainNote: string | undefined
}

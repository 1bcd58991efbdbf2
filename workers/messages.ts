/** What supervisor and workers say to each other over the channel that Node gives them. */

import type { LogConfig } from './flags/config.ts'
import type { Renewable } from './renewal.ts'
import type { ListenerInfo } from './serving.ts'
import type { ServingSettings } from './serving-settings.ts'

export interface WorkerSettings {
  readonly serving: ServingSettings
  /** Unix socket of the store's member. */
  readonly linkPath: string
  readonly log: LogConfig
  /** For log lines: `worker 1`. */
  readonly name: string
}

export type ToWorker =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'renew'; readonly all: Renewable }
  | { readonly type: 'drain' }
  /** The file has been put aside; answered with `audit log reopened`. */
  | { readonly type: 'reopen audit log' }
  | { readonly type: 'stop'; readonly graceMs: number }
  | { readonly type: 'metrics?'; readonly id: number }
  /** Answers `all metrics?`: one text for each process that answered in time. */
  | { readonly type: 'all metrics'; readonly id: number; readonly texts: readonly string[] }

export type FromWorker =
  /** It listens from now on: what was sent before would be lost. */
  | { readonly type: 'loaded' }
  | {
      readonly type: 'ready'
      readonly listeners: readonly ListenerInfo[]
      readonly plainNote: string | undefined
    }
  /** It will not be better next time: the server ends. */
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'metrics'; readonly id: number; readonly text: string }
  | { readonly type: 'all metrics?'; readonly id: number }
  /** The file of this inode is to be put aside. */
  | { readonly type: 'audit log full'; readonly inode: number }
  | { readonly type: 'audit log reopened' }
  /** Whole lines of the audit log, for standard output. */
  | { readonly type: 'audit lines'; readonly lines: string }

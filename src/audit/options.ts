/** What an operator says of the audit log. Plain data: it goes to other processes. */

import type { AuditPolicy } from './policy.ts'

export const auditLogFormats = ['json', 'legacy'] as const
export type AuditLogFormat = (typeof auditLogFormats)[number]

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const
export type AuditMode = (typeof auditModes)[number]

export interface BatchOptions {
  /** That may wait, at most. */
  readonly bufferEventsMax: number
  readonly batchEventsMax: number
  /** A batch that is not full is sent after this. */
  readonly waitMs: number
  /** Undefined = as fast as it goes. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined
}

export interface TruncateOptions {
  /** Larger ones lose the objects of request and response; if that is not enough, they are dropped. */
  readonly eventBytesMax: number
  /** What is handed on at a time is split where it is larger. */
  readonly batchBytesMax: number
}

export interface AuditSinkOptions {
  readonly mode: AuditMode
  readonly batch: BatchOptions
  /** Undefined = entries of any size are taken. */
  readonly truncate: TruncateOptions | undefined
}

interface AuditLogOptions extends AuditSinkOptions {
  readonly format: AuditLogFormat
}

interface AuditWebhookOptions extends AuditSinkOptions {
  /** Path of a client configuration. */
  readonly configFile: string
  /** Before events are sent again. */
  readonly firstDelayMs: number
}

export interface AuditOptions {
  readonly policy: AuditPolicy
  readonly log: AuditLogOptions | undefined
  readonly webhook: AuditWebhookOptions | undefined
}

/**
 * The files beside the database:
 *
 *     store.json   format and identity, written once when the database has been created
 *     clean        what the database holds, written at a clean stop, removed when it was opened again
 *     store/       the database
 *     store.arriving/, arrived    a state that comes from another member: installation.ts
 */
import { join } from 'node:path'
import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import type { Files } from '../disk/files.ts'
import type { Sealed } from '../disk/sealed-file.ts'
import type { DigestValue } from '../mvcc/digest.ts'

/** Whom a data directory belongs to. */
export interface Identity {
  /** API dialect of the stored identifiers. */
  readonly dialect: string
  readonly clusterId?: string
  /** Which member of the cluster; absent: the first of its own. */
  readonly memberId?: number
  readonly name?: string
}

/** What a data directory holds after a clean stop. */
export interface FinalState {
  readonly revision: number
  readonly digest: DigestValue
  readonly lastIndex: number
}

/** The directory belongs to another dialect or cluster than was asked for. */
export type WrongIdentity = {
  readonly code: 'WrongIdentity'
  readonly what: 'dialect' | 'clusterId'
  readonly found: string
  readonly expected: string
  readonly message: string
}
/** Written by a newer release, which this one cannot read. */
export type UnsupportedFormat = {
  readonly code: 'UnsupportedFormat'
  readonly found: number
  readonly supported: number
  readonly message: string
}

/** Raised with every change that an older release could not read. */
const dataFormat = 1

/** Where the database lies. */
export function databaseFolder(dataDir: string): string {
  return join(dataDir, 'store')
}

/** The identity of a data directory, undefined when it is new. */
export async function readIdentity(
  files: Files,
  dataDir: string,
  expected: Identity | undefined,
): Promise<Result<Identity | undefined, Corrupt | UnsupportedFormat | WrongIdentity>> {
  const path = join(dataDir, 'store.json')
  const sealed = await files.readSealed(path)
  if (sealed.state === 'absent') return ok(undefined)
  const fields = fieldsOf(sealed)
  const { format, dialect, clusterId, memberId, name } = fields
  if (typeof format !== 'number' || typeof dialect !== 'string') return damaged(path)
  if (format > dataFormat) {
    const message = `${path}: data format ${format} is newer than ${dataFormat}, the newest that this release reads; start a newer release`
    return fail({ code: 'UnsupportedFormat', found: format, supported: dataFormat, message })
  }
  const found: Identity = {
    dialect,
    ...(typeof clusterId === 'string' ? { clusterId } : {}),
    ...(typeof memberId === 'number' ? { memberId } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  }
  for (const what of ['dialect', 'clusterId'] as const) {
    const has = found[what]
    const wants = expected?.[what]
    if (wants === undefined || has === undefined || has === wants) continue
    const message = `${dataDir} belongs to ${what} ${JSON.stringify(has)}, not ${JSON.stringify(wants)}`
    return fail({ code: 'WrongIdentity', what, found: has, expected: wants, message })
  }
  return ok(found)
}

/** Whole or not at all, and durable when it resolves. */
export function writeIdentity(files: Files, dataDir: string, identity: Identity): Promise<void> {
  return files.writeSealed(join(dataDir, 'store.json'), { format: dataFormat, ...identity })
}

/** What the last clean stop left; undefined after any other stop. */
export async function readFinalState(
  files: Files,
  dataDir: string,
): Promise<Result<FinalState | undefined, Corrupt>> {
  const path = join(dataDir, 'clean')
  const sealed = await files.readSealed(path)
  if (sealed.state === 'absent') return ok(undefined)
  const { revision, lastIndex, high, low, records } = fieldsOf(sealed)
  if (
    typeof revision !== 'number' ||
    typeof lastIndex !== 'number' ||
    typeof high !== 'number' ||
    typeof low !== 'number' ||
    typeof records !== 'number'
  ) {
    return damaged(path)
  }
  return ok({ revision, lastIndex, digest: { high, low, records } })
}

/** The mark of a clean stop, durable when it resolves. */
export function writeFinalState(
  files: Files,
  dataDir: string,
  { revision, lastIndex, digest }: FinalState,
): Promise<void> {
  return files.writeSealed(join(dataDir, 'clean'), { revision, lastIndex, ...digest })
}

/** Before the first write of a run: from then on a stop may be unclean. */
export function removeFinalState(files: Files, dataDir: string): Promise<void> {
  return files.removeSealed(join(dataDir, 'clean'))
}

function fieldsOf(sealed: Sealed): Partial<Record<string, unknown>> {
  if (sealed.state !== 'intact' || typeof sealed.content !== 'object' || sealed.content === null) return {}
  return { ...sealed.content }
}

function damaged(where: string): Result<never, Corrupt> {
  return fail({ code: 'Corrupt', where, message: 'checksum does not match' })
}

/**
 * Who the members are, by name and address. The list travels in each configuration entry, beside the configuration
 * that the core looks at, and stands in one record of the database, in the same batch as the state up to its entry.
 *
 *     'c'      JSON of a Membership | CRC-32 u32
 */
import { crc32 } from 'node:zlib'
import { fieldOf } from '../fields.ts'
import { configurationFrom, membersOf } from '../raft/configuration.ts'
import { type Configuration, type MemberId, memberId } from '../raft/types.ts'

export interface MemberRecord {
  readonly id: MemberId
  readonly name: string
  /** `host:port` at which the other members reach it; empty for a member that never listened. */
  readonly address: string
}

export interface Membership {
  readonly configuration: Configuration
  /** Everybody in the configuration, by id. */
  readonly members: readonly MemberRecord[]
  /** The id of the next member: ids are never given twice. */
  readonly nextId: number
}

/** What the proposer of a configuration adds to it. */
export type MembershipContext = Pick<Membership, 'members' | 'nextId'>

/** Key of the membership record. */
export const membershipKey: Buffer = Buffer.from('c')

/** The context of a configuration entry; {@link decodeContext} reads it after JSON.parse. */
export function encodeContext({ members, nextId }: MembershipContext): string {
  return JSON.stringify({ members, nextId })
}

/**
 * The membership after a configuration entry. The entry that leaves a joint configuration has no context. A member that
 * joins replays entries from before it was told who the members are: what it was told is newer, and it must go on
 * letting them in, whoever they were then.
 */
export function nextMembership(
  before: Membership,
  configuration: Configuration,
  context: string,
): Membership {
  const next = context === '' ? before : decodeContext(JSON.parse(context))
  const told = membersOf(before.configuration)
  const ahead =
    context === '' ? before.members.some(({ id }) => !told.includes(id)) : next.nextId < before.nextId
  if (ahead) return { ...before, configuration }
  const staying = new Set(membersOf(configuration))
  return { ...next, configuration, members: next.members.filter(({ id }) => staying.has(id)) }
}

/** The value of the membership record. */
export function encodeMembership(membership: Membership): Buffer {
  const json = Buffer.from(JSON.stringify(membership))
  const target = Buffer.allocUnsafe(json.length + 4)
  json.copy(target)
  target.writeUInt32BE(crc32(json), json.length)
  return target
}

/** Undefined when the bytes are not an intact membership. */
export function decodeMembership(source: Buffer): Membership | undefined {
  const end = source.length - 4
  if (end < 0 || source.readUInt32BE(end) !== crc32(source.subarray(0, end))) return undefined
  const fields: unknown = JSON.parse(source.toString('utf8', 0, end))
  return { ...decodeContext(fields), configuration: configurationFrom(fieldOf(fields, 'configuration')) }
}

/** Throws on anything else: it was written by a member, and checked against its checksum. */
export function decodeContext(fields: unknown): MembershipContext {
  const members = fieldOf(fields, 'members')
  const nextId = fieldOf(fields, 'nextId')
  if (!Array.isArray(members) || typeof nextId !== 'number') throw new TypeError('not a membership')
  return { members: members.map(decodeRecord), nextId }
}

function decodeRecord(fields: unknown): MemberRecord {
  const name = fieldOf(fields, 'name')
  const address = fieldOf(fields, 'address')
  if (typeof name !== 'string' || typeof address !== 'string') throw new TypeError('not a member')
  return { id: memberId(Number(fieldOf(fields, 'id'))), name, address }
}

import assert from 'node:assert/strict'
import type { Key, Transaction } from '../contract.ts'
import { contentBytes, type RecordContent, readContent, readU64, writeContent, writeU64 } from './record.ts'

/**
 * What the members agree on: one log entry holds one group, and a group the proposals that were waiting together.
 * Everything that could differ between members (time above all) is written into it by the proposing member. Origin and
 * sequence name the group for ever: its proposer finds it again when it is applied, whoever put it into the log.
 *
 *     group        format u8 | wall-clock ms u64 | origin u64 | sequence u64 | count u32 | proposals
 *     transaction  1 | guards u16 | (revision u64, key length u16, key)* | ops u16 | (content length u32, content)*
 *     compact      2 | revision u64
 *     expire       3 | count u16 | (revision u64, key length u16, key)*
 *     check        4
 */
export type Proposal =
  | { readonly type: 'transaction'; readonly transaction: Transaction }
  | { readonly type: 'compact'; readonly revision: number }
  | { readonly type: 'expire'; readonly keys: readonly ExpiredKey[] }
  /** Changes nothing: every member takes the hash of its state at this entry, to compare it with the others'. */
  | { readonly type: 'check' }

/** Removed only when its last put is still the one that was found due. */
export interface ExpiredKey {
  readonly key: Key
  readonly modRevision: number
}

export interface DecodedOperation {
  readonly content: Buffer
  readonly record: RecordContent
}

export type DecodedProposal =
  | {
      readonly type: 'transaction'
      readonly guards: readonly ExpiredKey[]
      readonly ops: readonly DecodedOperation[]
    }
  | { readonly type: 'compact'; readonly revision: number }
  | { readonly type: 'expire'; readonly keys: readonly ExpiredKey[] }
  | { readonly type: 'check' }

/** What a group says of itself, beside its proposals. */
export interface GroupHead {
  readonly wallMs: number
  /** One run of one member. */
  readonly origin: number
  /** Rises with every group of its origin. */
  readonly sequence: number
}

export interface Group extends GroupHead {
  readonly proposals: readonly DecodedProposal[]
}

const groupFormat = 1
/** Bytes of a group before its proposals. */
export const groupHeadBytes = 29
/** Most keys of one expire proposal. */
export const expireKeysMax = 512

const kinds = { transaction: 1, compact: 2, expire: 3, check: 4 } as const

/** Bytes that a proposal takes in a group; an upper bound, since a put with a time to live takes 8 more than without. */
export function proposalBytes(proposal: Proposal): number {
  switch (proposal.type) {
    case 'transaction': {
      let bytes = 5
      for (const guard of proposal.transaction.guards) bytes += 10 + guard.key.length
      for (const op of proposal.transaction.ops) {
        const put = op.type === 'put' ? op : undefined
        bytes += 4 + contentBytes(op.key.length, put?.value.length ?? 0, put?.ttlMs ?? 0)
      }
      return bytes
    }
    case 'compact':
      return 9
    case 'expire':
      return proposal.keys.reduce((bytes, { key }) => bytes + 10 + key.length, 3)
    case 'check':
      return 1
  }
}

/** Encodes a group into one buffer of its own (no pool): it becomes the log entry, and the values of its puts. */
export function encodeGroup(proposals: readonly Proposal[], { wallMs, origin, sequence }: GroupHead): Buffer {
  let bytes = groupHeadBytes
  for (const proposal of proposals) bytes += proposalBytes(proposal)
  const target = Buffer.allocUnsafeSlow(bytes)
  target[0] = groupFormat
  let offset = writeU64(target, sequence, writeU64(target, origin, writeU64(target, wallMs, 1)))
  offset = target.writeUInt32BE(proposals.length, offset)
  for (const proposal of proposals) offset = writeProposal(target, offset, proposal, wallMs)
  assert.equal(offset, bytes)
  return target
}

function writeProposal(target: Buffer, at: number, proposal: Proposal, wallMs: number): number {
  let offset = target.writeUInt8(kinds[proposal.type], at)
  switch (proposal.type) {
    case 'transaction': {
      const { guards, ops } = proposal.transaction
      offset = target.writeUInt16BE(guards.length, offset)
      for (const guard of guards) offset = writeKeyAtRevision(target, offset, guard)
      offset = target.writeUInt16BE(ops.length, offset)
      for (const op of ops) {
        const put = op.type === 'put' ? op : undefined
        const expiresAtMs = put?.ttlMs === undefined ? 0 : Math.ceil(wallMs + put.ttlMs)
        const end = writeContent(target, offset + 4, op.key, put?.value, expiresAtMs)
        target.writeUInt32BE(end - offset - 4, offset)
        offset = end
      }
      return offset
    }
    case 'compact':
      return writeU64(target, proposal.revision, offset)
    case 'expire':
      offset = target.writeUInt16BE(proposal.keys.length, offset)
      for (const expired of proposal.keys) offset = writeKeyAtRevision(target, offset, expired)
      return offset
    case 'check':
      return offset
  }
}

function writeKeyAtRevision(target: Buffer, at: number, { key, modRevision }: ExpiredKey): number {
  const offset = target.writeUInt16BE(key.length, writeU64(target, modRevision, at))
  return offset + target.write(key, offset, 'latin1')
}

/**
 * Decodes a group; contents are slices of `source`. The log has checked its checksum, so that anything wrong here is
 * a bug (throws).
 */
export function decodeGroup(source: Buffer): Group {
  assert.equal(source[0], groupFormat, 'group of an unknown format')
  const reader = new GroupReader(source, 1)
  const wallMs = reader.u64()
  const origin = reader.u64()
  const sequence = reader.u64()
  const count = reader.u32()
  const proposals: DecodedProposal[] = []
  for (let i = 0; i < count; i++) proposals.push(readProposal(reader))
  assert.equal(reader.offset, source.length, 'group with bytes to spare')
  return { wallMs, origin, sequence, proposals }
}

/** Who proposed a group, and how many proposals it holds, without decoding it. */
export function readGroupHead(source: Buffer): GroupHead & { readonly count: number } {
  return {
    wallMs: readU64(source, 1),
    origin: readU64(source, 9),
    sequence: readU64(source, 17),
    count: source.readUInt32BE(25),
  }
}

function readProposal(reader: GroupReader): DecodedProposal {
  const kind = reader.u8()
  switch (kind) {
    case kinds.transaction: {
      const guards = reader.keysAtRevision()
      const count = reader.u16()
      const ops: DecodedOperation[] = []
      for (let i = 0; i < count; i++) ops.push(reader.operation())
      return { type: 'transaction', guards, ops }
    }
    case kinds.compact:
      return { type: 'compact', revision: reader.u64() }
    case kinds.expire:
      return { type: 'expire', keys: reader.keysAtRevision() }
    case kinds.check:
      return { type: 'check' }
    default:
      throw new assert.AssertionError({ message: `proposal of unknown kind ${kind}` })
  }
}

class GroupReader {
  readonly #source: Buffer
  offset: number

  constructor(source: Buffer, offset: number) {
    this.#source = source
    this.offset = offset
  }

  u8(): number {
    return this.#source.readUInt8(this.#advance(1))
  }

  u16(): number {
    return this.#source.readUInt16BE(this.#advance(2))
  }

  u32(): number {
    return this.#source.readUInt32BE(this.#advance(4))
  }

  u64(): number {
    return readU64(this.#source, this.#advance(8))
  }

  keysAtRevision(): ExpiredKey[] {
    const count = this.u16()
    const keys: ExpiredKey[] = []
    for (let i = 0; i < count; i++) {
      const modRevision = this.u64()
      const keyBytes = this.u16()
      const start = this.#advance(keyBytes)
      // Written from a Key, and a latin1 slice is a binary string.
      keys.push({ key: this.#source.toString('latin1', start, start + keyBytes) as Key, modRevision })
    }
    return keys
  }

  operation(): DecodedOperation {
    const bytes = this.u32()
    const start = this.#advance(bytes)
    const content = this.#source.subarray(start, start + bytes)
    const record = readContent(content)
    assert(record !== undefined, 'operation that is not a record')
    return { content, record }
  }

  #advance(bytes: number): number {
    const at = this.offset
    this.offset += bytes
    assert(this.offset <= this.#source.length, 'group cut short')
    return at
  }
}

/**
 * The simulated state machine: guarded puts at one counter of revisions, their history for watches, compaction. Small
 * on purpose; the store's own takes its place through contract.ts.
 */
import type { Entry } from '../../store/raft/types.ts'

export type Command =
  | {
      readonly type: 'put'
      readonly key: string
      /** Unique in a simulation. */
      readonly value: number
      /** The key's revision must be this; 0 = absent; `undefined` = any. */
      readonly guard?: number
    }
  | { readonly type: 'compact'; readonly revision: number }

export interface Stored {
  readonly value: number
  readonly revision: number
}

export interface KvEvent extends Stored {
  readonly key: string
}

export type PutResult =
  | { readonly type: 'done'; readonly revision: number }
  | { readonly type: 'guardFailed'; readonly current: Stored | undefined }

/** A copy of the whole state, never changed. */
export interface KvImage {
  readonly revision: number
  /** Events at and below are gone. */
  readonly compacted: number
  readonly keys: ReadonlyMap<string, Stored>
  /** Ascending, contiguous from `compacted + 1`. */
  readonly events: readonly KvEvent[]
  readonly hash: number
}

export const emptyImage: KvImage = { revision: 0, compacted: 0, keys: new Map(), events: [], hash: 0 }

interface Kv {
  apply(command: Command): PutResult | undefined
  get(key: string): Stored | undefined
  image(): KvImage
  revision(): number
  /** Running hash of everything that ever changed. */
  hash(): number
  /** Events from `from` on, or `undefined` when some of them are compacted. */
  eventsFrom(from: number): readonly KvEvent[] | undefined
}

interface KvFaults {
  /** Compaction takes one event too many. */
  readonly dropEventAtCompaction: boolean
  /** A watch from a compacted revision starts with what is left. */
  readonly hideCompaction: boolean
}

export function createKv(start: KvImage, faults: KvFaults): Kv {
  let { revision, compacted, hash } = start
  const keys = new Map(start.keys)
  let events = [...start.events]

  function put({ key, value, guard }: Extract<Command, { type: 'put' }>): PutResult {
    const current = keys.get(key)
    if (guard !== undefined && guard !== (current?.revision ?? 0)) return { type: 'guardFailed', current }
    revision++
    keys.set(key, { value, revision })
    events.push({ key, value, revision })
    hash = (Math.imul(hash, 31) + value + revision) >>> 0
    return { type: 'done', revision }
  }

  return {
    apply(command) {
      if (command.type === 'put') return put(command)
      const target = Math.min(command.revision, revision)
      if (target <= compacted) return undefined
      compacted = target
      const lost = faults.dropEventAtCompaction ? target + 1 : target
      events = events.filter((event) => event.revision > lost)
      hash = (Math.imul(hash, 31) + target) >>> 0
      return undefined
    },
    get: (key) => keys.get(key),
    image: () => ({ revision, compacted, keys: new Map(keys), events: [...events], hash }),
    revision: () => revision,
    hash: () => hash,
    eventsFrom(from) {
      if (from <= compacted && !faults.hideCompaction) return undefined
      return events.filter((event) => event.revision >= from)
    },
  }
}

export function encodeCommand(command: Command): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(command))
}

const decoded = new WeakMap<Uint8Array, Command>()

/** Commands come from this simulation alone; each is decoded once for all members. */
export function commandOf({ data }: Entry): Command {
  const known = decoded.get(data)
  if (known !== undefined) return known
  const command: Command = JSON.parse(new TextDecoder().decode(data))
  decoded.set(data, command)
  return command
}

/**
 * Keeps the types of this process in step with the definitions in its watch cache.
 *
 *     cache ──something has changed──▶ look through ──▶ set, remove
 *     a request for what is unknown ──the cache is as new as the store──▶ look through
 *
 * A definition is read only when it is another than before. Whoever has seen a definition established finds it served
 * by every process, since what is unknown is looked up once more before that is said.
 */

import type { Clock, Guard, Key, Result } from '../../../store/contract.ts'
import { fail, ok, type Revision } from '../../../store/contract.ts'
import type { Log } from '../../observe/log.ts'
import type { ResponseStream } from '../../pipeline/exchange.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { CachedObject, Freshness, Representation, ResourceStorage } from '../../storage/contract.ts'
import { readApiFailure } from '../../storage/failures.ts'
import { parseObject } from '../../storage/record.ts'
import { everything } from '../../storage/selector/selector.ts'
import { type Definition, readDefinition } from './definition.ts'

interface FollowParts {
  /** Of the definitions. */
  readonly storage: ResourceStorage
  readonly clock: Clock
  readonly log: Log
  /** A definition that is new, or of which something that is served has changed. */
  set(definition: Definition, before: Definition | undefined): void
  remove(definition: Definition): void
}

export interface DefinitionsFollower {
  start(): void
  /** Waits until the definitions are as new as the store. The failure is the answer to whoever waits. */
  refresh(): Promise<Result<void, ApiFailure>>
  /** Holds while a definition is as it was seen last; undefined = it is not there. */
  guardOf(name: string): Guard | undefined
  close(): void
}

const restartMs = 1000
const timeoutMs = 30 * 60_000
const frame = Buffer.from('\n')

/** That something has changed is all that is told. */
const bell: Representation = {
  id: 'definitions',
  event: () => frame,
  bookmark: () => frame,
  error: () => frame,
}

interface Known {
  readonly key: Key
  readonly revision: Revision
  readonly definition: Definition
}

export function followDefinitions(parts: FollowParts): DefinitionsFollower {
  const { storage, clock, log } = parts
  const known = new Map<string, Known>()
  let shared: ReturnType<DefinitionsFollower['refresh']> | undefined
  /** Of the state that was looked through last. */
  let seen = 0
  let closed = false
  let close = () => {}

  async function look(freshness: Freshness): Promise<Result<void, ApiFailure>> {
    const page = await storage.list({ selector: everything, start: freshness })
    if (!page.ok) return fail(readApiFailure(page.failure))
    const { items, revision } = page.value
    if (!closed && revision >= seen) {
      seen = revision
      compare(items)
    }
    return ok(undefined)
  }

  function compare(items: readonly CachedObject[]): void {
    const there = new Set<string>()
    for (const item of items) {
      there.add(item.name)
      const before = known.get(item.name)
      if (before?.revision !== item.revision) take(item, before?.definition)
    }
    if (there.size === known.size) return
    for (const [name, { definition }] of known) {
      if (there.has(name)) continue
      known.delete(name)
      parts.remove(definition)
    }
  }

  function take(item: CachedObject, before: Definition | undefined): void {
    const definition = readDefinition(parseObject(item), () => parseObject(item))
    known.set(item.name, { key: item.key, revision: item.revision, definition })
    // Another of the same name is another resource: what is kept of the old one goes.
    const successor = before === undefined || before.uid === definition.uid ? before : undefined
    if (before !== undefined && successor === undefined) parts.remove(before)
    if (successor?.fingerprint !== definition.fingerprint) parts.set(definition, successor)
  }

  async function follow(): Promise<void> {
    // A store that was put back begins again with older revisions.
    seen = 0
    const started = await storage.watch(
      {
        selector: everything,
        start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: false },
        bookmarks: false,
        timeoutMs,
        representation: bell,
      },
      () => ringing(() => void (closed || look({ type: 'any' })), again),
    )
    if (!started.ok) {
      log.warn('definitions of custom resources cannot be followed', { code: started.failure.code })
      again()
    } else if (closed) started.value.close()
    else close = () => started.value.close()
  }

  function again(): void {
    if (!closed) clock.after(restartMs, () => void (closed || follow()))
  }

  return {
    start: () => void follow(),
    refresh() {
      // It begins after all calls of this turn, so it is new enough for each.
      shared ??= Promise.resolve().then(() => {
        shared = undefined
        return look({ type: 'mostRecent' })
      })
      return shared
    },
    guardOf(name) {
      const found = known.get(name)
      return found && { key: found.key, modRevision: found.revision }
    },
    close() {
      closed = true
      close()
    },
  }
}

function ringing(ring: () => void, ended: () => void): ResponseStream {
  return {
    bufferedBytes: 0,
    write() {
      ring()
      return true
    },
    onDrain() {},
    end: ended,
    abort: ended,
  }
}

/**
 * Follows all objects of one resource inside this process: their state first, then every change, over the watch that
 * clients use. After an interruption the state is read again, and what has gone meanwhile is reported as removed.
 *
 *     start ▶ state (set …) ▶ synced ▶ changes (set, remove …) ─end or failure▶ pause ▶ state again
 */

import type { Clock } from '../../store/contract.ts'
import type { Log } from '../observe/log.ts'
import type { ResponseStream, SharedChunk } from '../pipeline/exchange.ts'
import type {
  CachedObject,
  ObjectName,
  Representation,
  ResourceStorage,
  Selector,
} from '../storage/contract.ts'
import { isApiObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'
import type { ApiObject } from '../types/object.ts'

/** Hears of one resource. Called in the order of the changes, never twice at a time. */
export interface Follower {
  /** There is such an object now: new, changed, or (after an interruption) perhaps as it was. */
  set(object: ApiObject): void
  remove(name: ObjectName): void
}

interface InformerParts {
  readonly storage: ResourceStorage
  readonly clock: Clock
  readonly log: Log
  /** Plural, for the log. */
  readonly resource: string
  /** Absent = all namespaces. */
  readonly namespace?: string
  /** Only what it selects is heard of; absent = everything. What leaves it is removed. */
  readonly selector?: Selector
}

export interface Informer {
  start(): void
  /** Resolves when the follower has heard of the whole state for the first time; also when closed before. */
  readonly synced: Promise<void>
  readonly isSynced: boolean
  close(): void
}

const restartMs = 1000
const timeoutMs = 30 * 60_000

/** Frames are lines: one letter, then the object. JSON text has no line breaks of its own. */
const representation: Representation = {
  id: 'informer',
  event: (type, { json }) => frame(type === 'DELETED' ? 'D' : 'A', json),
  bookmark: (_, initialEventsEnd) => Buffer.from(initialEventsEnd ? 'S\n' : '\n'),
  error: () => Buffer.from('\n'),
}

function frame(letter: string, json: CachedObject['json']): Buffer {
  const bytes = Buffer.allocUnsafe(json.length + 2)
  bytes.write(letter, 0, 'latin1')
  json.copy(bytes, 1)
  bytes.write('\n', json.length + 1, 'latin1')
  return bytes
}

export function createInformer(parts: InformerParts, follower: Follower): Informer {
  const { storage, clock, log, resource, namespace, selector = everything } = parts
  const known = new Map<string, ObjectName>()
  /** What the state that is being read has shown so far; undefined = the state has been read. */
  let seen: Set<string> | undefined
  let isSynced = false
  let closed = false
  let close = () => {}
  let resolveSynced = () => {}
  const synced = new Promise<void>((resolve) => {
    resolveSynced = resolve
  })

  async function follow(): Promise<void> {
    seen = new Set()
    const started = await storage.watch(
      {
        ...(namespace === undefined ? {} : { namespace }),
        selector,
        start: { type: 'state', freshness: { type: 'mostRecent' }, initialEventsEndBookmark: true },
        bookmarks: false,
        timeoutMs,
        representation,
      },
      () => lineStream(take, again),
    )
    if (!started.ok) {
      log.warn('a resource cannot be followed', { resource, code: started.failure.code })
      again()
    } else if (closed) started.value.close()
    else close = () => started.value.close()
  }

  function again(): void {
    if (!closed) clock.after(restartMs, () => void (closed || follow()))
  }

  function take(line: string): void {
    if (closed || line === '') return
    if (line === 'S') {
      finishState()
      return
    }
    const object: unknown = JSON.parse(line.slice(1))
    if (!isApiObject(object)) throw new TypeError(`an event of ${resource} holds no API object`)
    const { namespace = '', name = '' } = object.metadata
    const id = `${namespace}/${name}`
    if (line.startsWith('D')) {
      known.delete(id)
      follower.remove({ namespace, name })
    } else {
      known.set(id, { namespace, name })
      seen?.add(id)
      follower.set(object)
    }
  }

  function finishState(): void {
    for (const [id, name] of known) {
      if (seen?.has(id) === true) continue
      known.delete(id)
      follower.remove(name)
    }
    seen = undefined
    isSynced = true
    resolveSynced()
  }

  return {
    synced,
    get isSynced() {
      return isSynced
    },
    start: () => void follow(),
    close() {
      closed = true
      close()
      resolveSynced()
    },
  }
}

/** Every chunk holds whole frames. */
function lineStream(take: (line: string) => void, ended: () => void): ResponseStream {
  return {
    bufferedBytes: 0,
    write(chunk: SharedChunk | Buffer) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : chunk.payload
      for (const line of bytes.toString('utf8').split('\n')) take(line)
      return true
    },
    onDrain() {},
    end: ended,
    abort: ended,
  }
}

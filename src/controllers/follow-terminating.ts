/** Hears of namespaces that are terminating, from the watch that clients use, inside the process. */

import type { ResponseStream, SharedChunk } from '../pipeline/exchange.ts'
import type { Machinery, ResourceRoute } from '../registry/machinery.ts'
import { isTerminating } from '../registry/metadata.ts'
import type { Representation } from '../storage/contract.ts'
import { parseObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'

const restartMs = 1000
const timeoutMs = 30 * 60_000
const nothing = '\n'

/** One line for each event: the name of a terminating namespace, or nothing. */
const representation: Representation = {
  id: 'terminating namespaces',
  event: (type, object) =>
    Buffer.from(type !== 'DELETED' && isTerminating(parseObject(object)) ? `${object.name}\n` : nothing),
  bookmark: () => Buffer.from(nothing),
  error: () => Buffer.from(nothing),
}

/** Calls `seen` for each terminating namespace, at start and whenever one changes. The result ends it. */
export function followTerminating(
  route: ResourceRoute,
  { clock, log }: Machinery,
  seen: (name: string) => void,
): () => void {
  let closed = false
  let close = () => {}

  async function follow(): Promise<void> {
    const started = await route.storage.watch(
      {
        selector: everything,
        start: { type: 'state', freshness: { type: 'mostRecent' }, initialEventsEndBookmark: false },
        bookmarks: false,
        timeoutMs,
        representation,
      },
      () => lineStream(seen, again),
    )
    if (!started.ok) {
      log.warn('namespaces cannot be watched', { code: started.failure.code })
      again()
    } else if (closed) started.value.close()
    else close = () => started.value.close()
  }

  function again(): void {
    if (!closed) clock.after(restartMs, () => void (closed || follow()))
  }

  void follow()
  return () => {
    closed = true
    close()
  }
}

function lineStream(seen: (name: string) => void, ended: () => void): ResponseStream {
  return {
    bufferedBytes: 0,
    write(chunk: SharedChunk | Buffer) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : chunk.payload
      for (const name of bytes.toString('utf8').split('\n')) if (name !== '') seen(name)
      return true
    },
    onDrain() {},
    end: ended,
    abort: ended,
  }
}

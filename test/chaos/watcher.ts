/** A client that follows all changes at one node, as an informer does: list, watch, resume, and list again after 410. */

import type { ClientRequest, IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { collection, type Item, isOurs, itemOf, listOf, type NodeClient } from './client.ts'

export type Seen =
  | { readonly type: 'list'; readonly revision: number; readonly items: readonly Item[] }
  | { readonly type: 'event'; readonly kind: string; readonly item: Item }

export interface Watcher {
  readonly node: string
  readonly seen: readonly Seen[]
  /** Of the last event, list or bookmark. */
  revision(): number
  /** Streams that were begun, the first included. */
  streams(): number
  stop(): Promise<void>
}

const patienceMs = 5000
const pauseMs = 50
/** As client-go: a stream that says nothing for long may hang; it ends and is begun again. */
const streamSeconds = 20

export function startWatcher(client: NodeClient): Watcher {
  const seen: Seen[] = []
  let revision = 0
  let streams = 0
  let running = true
  let current: ClientRequest | undefined
  let mustList = true

  async function list(): Promise<void> {
    const outcome = await client.call('GET', collection, undefined, patienceMs)
    if (outcome.type !== 'answer' || outcome.code !== 200) return
    const found = listOf(outcome.body)
    seen.push({ type: 'list', ...found })
    revision = found.revision
    mustList = false
  }

  function onLine(line: string): void {
    const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: unknown }
    if (type === 'ERROR') {
      mustList = isExpired(object)
      current?.destroy()
      return
    }
    const item = itemOf(object)
    revision = item.revision
    if (type !== 'BOOKMARK' && isOurs(item)) seen.push({ type: 'event', kind: type, item })
  }

  function follow(): Promise<void> {
    return new Promise((resolve) => {
      streams++
      const path = `${collection}?watch=true&allowWatchBookmarks=true&timeoutSeconds=${streamSeconds}&resourceVersion=${revision}`
      const stream = client.stream(
        path,
        (answer: IncomingMessage) => {
          if (answer.statusCode === 410) mustList = true
          if (answer.statusCode !== 200) {
            answer.destroy()
            return
          }
          let rest = ''
          answer.setEncoding('utf8')
          answer.on('data', (text: string) => {
            const lines = (rest + text).split('\n')
            rest = lines.pop() ?? ''
            for (const line of lines) onLine(line)
          })
        },
        resolve,
      )
      stream.setTimeout((streamSeconds + 10) * 1000, () => stream.destroy())
      current = stream
    })
  }

  const done = (async () => {
    while (running) {
      if (mustList) await list()
      else await follow()
      if (running) await delay(pauseMs)
    }
  })()

  return {
    node: client.node,
    seen,
    revision: () => revision,
    streams: () => streams,
    async stop() {
      running = false
      current?.destroy()
      await done
    },
  }
}

function isExpired(object: unknown): boolean {
  return (object as { readonly code?: number } | null)?.code === 410
}

/** Tells of changes of files, by reading them again: what is mounted into a container is swapped in ways no event tells. */

import type { Clock, Timer } from '../../store/contract.ts'
import type { Outside } from '../outside/outside.ts'

interface FollowCommon {
  readonly outside: Pick<Outside, 'readFile'>
  readonly clock: Clock
}

interface FollowParts extends FollowCommon {
  readonly path: string
  /** As it was read at the start. */
  readonly text: string
  /** The file has another text. The next reading waits for it. Never rejects. */
  changed(text: string): Promise<void>
  /** The file cannot be read; told once for each cause in a row. */
  unreadable(reason: string): void
}

interface FollowManyParts extends FollowCommon {
  readonly paths: readonly string[]
  /** As they were read at the start, in the order of the paths. */
  readonly texts: readonly string[]
  /** At least one has another text: all of them, in the order of the paths. As of `FollowParts`. */
  changed(texts: readonly string[]): Promise<void>
  /** One of them cannot be read; told once for each cause in a row. */
  unreadable(path: string, reason: string): void
}

export interface FollowedFile {
  start(): void
  close(): void
}

export const followMs = 1000

/** Reads a file again and again, and tells when its text has changed. */
export function followFile({ path, text, changed, unreadable, ...common }: FollowParts): FollowedFile {
  return followFiles({
    ...common,
    paths: [path],
    texts: [text],
    changed: ([now = '']) => changed(now),
    unreadable: (_, reason) => unreadable(reason),
  })
}

/** Files that belong together, such as a certificate and its key: they are read together, and told of together. */
export function followFiles(parts: FollowManyParts): FollowedFile {
  const { paths, outside, clock } = parts
  let known = parts.texts
  let trouble: string | undefined
  let timer: Timer | undefined
  let closed = false

  async function look(): Promise<void> {
    const read = await Promise.all(paths.map(outside.readFile))
    if (closed) return
    const at = read.findIndex((one) => !one.ok)
    const bad = read[at]
    if (bad !== undefined && !bad.ok) {
      const path = paths[at] ?? ''
      const now = `${path} ${bad.failure}`
      if (now !== trouble) parts.unreadable(path, bad.failure)
      trouble = now
    } else {
      trouble = undefined
      const texts = read.flatMap((one) => (one.ok ? [one.value] : []))
      if (texts.some((text, index) => text !== known[index])) {
        known = texts
        await parts.changed(texts)
      }
    }
    again()
  }

  function again(): void {
    if (!closed) timer = clock.after(followMs, () => void look())
  }

  return {
    start: again,
    close() {
      closed = true
      timer?.cancel()
    },
  }
}

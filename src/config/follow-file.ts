/** Tells of changes of a file, by reading it again: what is mounted into a container is swapped in ways no event tells. */

import type { Clock, Timer } from '../../store/contract.ts'
import type { Outside } from '../outside/outside.ts'

export interface FollowParts {
  readonly path: string
  /** As it was read at the start. */
  readonly text: string
  readonly outside: Pick<Outside, 'readFile'>
  readonly clock: Clock
  /** The file has another text. The next reading waits for it. Never rejects. */
  changed(text: string): Promise<void>
  /** The file cannot be read; told once for each cause in a row. */
  unreadable(reason: string): void
}

export interface FollowedFile {
  start(): void
  close(): void
}

export const followMs = 1000

export function followFile(parts: FollowParts): FollowedFile {
  const { path, outside, clock } = parts
  let known = parts.text
  let trouble: string | undefined
  let timer: Timer | undefined
  let closed = false

  async function look(): Promise<void> {
    const text = await outside.readFile(path)
    if (closed) return
    if (!text.ok) {
      if (text.failure !== trouble) parts.unreadable(text.failure)
      trouble = text.failure
    } else {
      trouble = undefined
      if (text.value !== known) {
        known = text.value
        await parts.changed(text.value)
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

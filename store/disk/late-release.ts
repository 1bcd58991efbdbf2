/**
 * Keeps the files of a LevelDB folder open, so that deleting one costs LevelDB next to nothing.
 *
 * LevelDB deletes what it no longer needs with the lock in hand that every write takes. Giving back the blocks of a
 * log of 8 MiB or of the tables of a compaction takes 3 to 30 ms on ext4: the longest waits of writes were these. Of a
 * file that is open elsewhere only the name goes; its blocks are given back when it is closed here, on a thread of
 * Node's pool and with no lock held.
 *
 *     created ──▶ open here ──(LevelDB deletes the name)──▶ closed here: blocks go
 *
 * Best effort, and never needed: what cannot be watched or opened is left alone, and a crash leaves nothing behind.
 * Linux only; elsewhere an open file may not be deleted.
 */

import { close, constants, type FSWatcher, open, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Files held at most; further ones are deleted the slow way. */
const filesMax = 256
const dataFile = /^\d+\.(?:ldb|log)$/

export interface LateRelease {
  /** Lets go of all files. */
  close(): void
}

/** A descriptor; `opening` until it is there; `gone` = deleted before it was. */
type Held = number | 'opening' | 'gone'

export function releaseLate(folder: string): LateRelease {
  const held = new Map<string, Held>()
  let watcher: FSWatcher | undefined
  let closed = false

  function hold(name: string): void {
    if (held.size >= filesMax) return
    held.set(name, 'opening')
    open(join(folder, name), constants.O_RDONLY, (error, descriptor) => {
      const wanted = held.get(name) === 'opening' && !closed
      if (error === null && wanted) {
        held.set(name, descriptor)
        return
      }
      held.delete(name)
      if (error === null) close(descriptor, ignore)
    })
  }

  function letGo(name: string, was: Held): void {
    if (typeof was === 'number') {
      held.delete(name)
      close(was, ignore)
    } else held.set(name, 'gone')
  }

  /** A name came or went: LevelDB never uses one twice. */
  function onName(name: string | null): void {
    if (name === null || !dataFile.test(name)) return
    const was = held.get(name)
    if (was === undefined) hold(name)
    else letGo(name, was)
  }

  if (process.platform === 'linux') {
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        if (event === 'rename') onName(name)
      })
      watcher.on('error', () => watcher?.close())
      for (const name of readdirSync(folder)) if (!held.has(name)) onName(name)
    } catch {
      watcher?.close() // no more watches to be had on this machine
    }
  }
  return {
    close() {
      closed = true
      watcher?.close()
      for (const [name, was] of held) letGo(name, was)
    },
  }
}

/** Nothing rests on it. */
function ignore(): void {}

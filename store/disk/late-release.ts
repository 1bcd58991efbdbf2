/**
 * Keeps the files of a LevelDB folder open, so that deleting one costs LevelDB next to nothing.
 *
 * LevelDB deletes what it no longer needs with the lock in hand that every write takes. Giving back the blocks of a
 * log of 8 MiB or of the tables of a compaction takes 3 to 30 ms on ext4: the longest waits of writes were these. Of a
 * file that is open elsewhere only the name goes; its blocks are given back when it is closed here, on a thread of
 * Node's pool and with no lock held.
 *
 *     created ──▶ seen by a look at the folder: open here ──(LevelDB deletes the name)──▶ next look: closed, blocks go
 *
 * The folder is looked at after so many bytes were written, far fewer than any file lives for, and then until nothing
 * changes. Being told of changes would wake this thread for every page that LevelDB writes.
 *
 * Best effort, and never needed: what cannot be listed or opened is left alone, and a crash leaves nothing behind.
 * Linux only; elsewhere an open file may not be deleted.
 */

import { close, constants, open, readdir } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock, type Timer } from '../clock.ts'

/** Files held at most; further ones are deleted the slow way. */
const filesMax = 256
/** A look for each of these. A log lives for a write buffer of 8 MiB at least, a table for several. */
const lookBytes = 1024 * 1024
/** Compactions go on after the last write. */
const lookAgainMs = 1000
const dataFile = /^\d+\.(?:ldb|log)$/

export interface LateRelease {
  /** So much was handed to LevelDB. */
  wrote(bytes: number): void
  /** Lets go of all files. */
  close(): void
}

/** Holds the database's files of `folder` open from now on; Linux only, elsewhere it does nothing. */
export function releaseLate(folder: string, clock: Clock = systemClock): LateRelease {
  /** Descriptors; undefined while one is being opened. */
  const held = new Map<string, number | undefined>()
  let bytesUntilLook = lookBytes
  let again: Timer | undefined
  let looking = false
  let closed = process.platform !== 'linux'

  function hold(name: string): void {
    held.set(name, undefined)
    open(join(folder, name), constants.O_RDONLY, (error, descriptor) => {
      if (error === null && held.has(name)) held.set(name, descriptor)
      else {
        held.delete(name)
        if (error === null) close(descriptor, ignore)
      }
    })
  }

  function letGo(name: string, descriptor: number | undefined): void {
    held.delete(name)
    if (descriptor !== undefined) close(descriptor, ignore)
  }

  /** LevelDB never uses a name twice. True: files came or went. */
  function compare(names: ReadonlySet<string>): boolean {
    let changed = false
    for (const [name, descriptor] of held) {
      if (names.has(name)) continue
      letGo(name, descriptor)
      changed = true
    }
    for (const name of names) {
      if (held.size >= filesMax) break
      if (held.has(name) || !dataFile.test(name)) continue
      hold(name)
      changed = true
    }
    return changed
  }

  /** @param writing more is to be expected, whatever is found now */
  function look(writing: boolean): void {
    if (looking || closed) return
    looking = true
    readdir(folder, (error, names) => {
      looking = false
      if (closed || error !== null) return
      again?.cancel()
      again = compare(new Set(names)) || writing ? clock.after(lookAgainMs, () => look(false)) : undefined
    })
  }

  look(false)
  return {
    wrote(bytes) {
      bytesUntilLook -= bytes
      if (bytesUntilLook > 0) return
      bytesUntilLook = lookBytes
      look(true)
    },
    close() {
      closed = true
      again?.cancel()
      for (const [name, descriptor] of held) letGo(name, descriptor)
    },
  }
}

/** Nothing rests on it. */
function ignore(): void {}

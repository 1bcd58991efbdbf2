/**
 * A simulated disk. Writes are atomic batches that take time; a crash keeps some head of those not yet synced, and may
 * tear the next one, which recovery recognises by its checksum and drops.
 */
import { type Entry, type LogIndex, logIndex, term } from '../../store/raft/types.ts'
import type { Checkpoint, Disk, DiskBatch, DiskImage } from './contract.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'

export interface SimulatedDisk extends Disk {
  /** Power is lost: nothing written but unsynced is certain, no `done` comes any more. */
  crash(trustTornBatch: boolean): void
  /** How long writes take from now on, in milliseconds. */
  latencyMs: readonly [min: number, max: number]
}

export function createDisk(scheduler: Scheduler, random: Random, first: Checkpoint): SimulatedDisk {
  let image: DiskImage = {
    hardState: { term: term(0), vote: undefined, commit: logIndex(0) },
    checkpoint: first,
    before: { index: logIndex(0), term: term(0) },
    entries: [],
  }
  let unsynced: DiskBatch[] = []
  let life = 0
  let freeAtMs = 0

  return {
    latencyMs: [0, 2],
    read: () => image,
    write(batch, sync, done) {
      unsynced.push(batch)
      const [min, max] = this.latencyMs
      const startMs = Math.max(freeAtMs, scheduler.nowMs())
      freeAtMs = startMs + (sync ? random.between(min, max) : 0)
      const born = life
      scheduler.after(freeAtMs - scheduler.nowMs(), () => {
        if (born !== life) return
        if (sync) {
          const settled = unsynced.indexOf(batch) + 1
          for (const one of unsynced.slice(0, settled)) image = applied(image, one)
          unsynced = unsynced.slice(settled)
        }
        done()
      })
    },
    crash(trustTornBatch) {
      life++
      freeAtMs = 0
      const kept = random.below(unsynced.length + 1)
      for (const one of unsynced.slice(0, kept)) image = applied(image, one)
      const torn = unsynced[kept]
      if (torn !== undefined && trustTornBatch) image = applied(image, { hardState: torn.hardState })
      unsynced = []
    },
  }
}

function applied(image: DiskImage, batch: DiskBatch): DiskImage {
  let { hardState, checkpoint, before, entries } = image
  if (batch.snapshot !== undefined) {
    checkpoint = batch.snapshot
    before = { index: checkpoint.index, term: checkpoint.term }
    entries = []
  }
  checkpoint = batch.checkpoint ?? checkpoint
  entries = appended(entries, before.index, batch.entries ?? [])
  if (batch.compactTo !== undefined && batch.compactTo > before.index) {
    const last = entries[batch.compactTo - before.index - 1]
    if (last === undefined) throw new Error(`compacting beyond the log: ${batch.compactTo}`)
    entries = entries.slice(batch.compactTo - before.index)
    before = { index: last.index, term: last.term }
  }
  hardState = batch.hardState ?? hardState
  return { hardState, checkpoint, before, entries }
}

function appended(entries: readonly Entry[], base: LogIndex, added: readonly Entry[]): readonly Entry[] {
  const [first] = added
  if (first === undefined) return entries
  const kept = first.index - base - 1
  if (kept < 0 || kept > entries.length) throw new Error(`gap on disk before ${first.index}`)
  return [...entries.slice(0, kept), ...added]
}

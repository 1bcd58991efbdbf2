/**
 * Old space that is taken when many values pass through what keeps those under way: bytes for each, before the whole heap
 * is collected. Needs `--expose-gc` and a nursery that is collected often.
 */

import assert from 'node:assert/strict'
import { getHeapSpaceStatistics } from 'node:v8'
import { Calls } from '../../src/pipeline/calls.ts'
import { systemClock } from '../../store/clock.ts'
import { Slots } from '../../store/slots.ts'

const passing = 50_000
const together = 32

/** Begins something, and returns how it ends. */
type Begin = (held: object) => () => void

function bytesEach(begin: Begin): number {
  const underWay: (() => void)[] = Array.from({ length: together }, () => () => {})
  const pass = (): void => {
    for (let i = 0; i < passing; i++) {
      underWay[i % together]?.()
      underWay[i % together] = begin(Array.from({ length: 50 }, () => i))
    }
  }
  pass()
  assert(globalThis.gc !== undefined)
  globalThis.gc()
  const before = oldBytes()
  pass()
  return Math.round((oldBytes() - before) / passing)
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')
  assert(old !== undefined)
  return old.space_used_size
}

const calls = new Calls(systemClock)
const slots = new Slots<{ readonly held: object }>()
process.send?.(
  {
    calls: bytesEach((held) => {
      const call = calls.begin(60_000, false, () => held)
      return () => calls.end(call)
    }),
    slots: bytesEach((held) => {
      const slot = slots.next
      slots.add({ held })
      return () => slots.take(slot)
    }),
  },
  () => process.exit(0),
)

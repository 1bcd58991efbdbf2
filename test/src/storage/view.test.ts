/** Views, their logs and their watchers one by one, without a cache. */

import t from 'tap'
import { CacheEvent } from '../../../src/storage/cache/event.ts'
import { createCounters } from '../../../src/storage/counters.ts'
import { decodeRecord } from '../../../src/storage/record.ts'
import { everything } from '../../../src/storage/selector/selector.ts'
import { sharedChunk } from '../../../src/storage/shared-chunk.ts'
import { ChunkLog } from '../../../src/storage/watch/chunk-log.ts'
import { View } from '../../../src/storage/watch/view.ts'
import { Watcher } from '../../../src/storage/watch/watcher.ts'
import { key, revision } from '../../../store/contract.ts'
import { createRecordingStream } from '../../support/recording-stream.ts'
import { newRecord, representation, value, widgets } from './harness.ts'

function added(version: number): CacheEvent {
  const name = { namespace: 'a', name: String(version) }
  const at = key(`${widgets.prefix}/a/${version}`)
  const entry = { key: at, value: newRecord(name).record, modRevision: revision(version) }
  return new CacheEvent(revision(version), at, value(decodeRecord(widgets.prefix, entry)), undefined)
}

function setup(limits: { backlogEventsMax?: number } = {}) {
  const counters = createCounters()
  const view = new View({
    id: 'view',
    scope: {},
    selector: everything,
    representation,
    limits: { backlogEventsMax: 1000, backlogBytesMax: 1_000_000, sliceBytes: 10_000, ...limits },
    counters,
    requestFlush: () => undefined,
  })
  const deferred: (() => void)[] = []
  const surroundings = {
    counters,
    sliceBytes: 1,
    defer: (action: () => void) => deferred.push(action),
    onEnd: () => undefined,
  }

  function watcher() {
    const stream = createRecordingStream()
    const made = new Watcher(view, stream, surroundings)
    return { stream, watcher: made }
  }

  function follower() {
    const { stream, watcher: made } = watcher()
    made.join(view)
    made.wake()
    return stream
  }

  function send(from: number, to: number): readonly string[] {
    const lines: string[] = []
    for (let version = from; version <= to; version++) {
      view.onEvent(added(version))
      view.flush()
      lines.push(`ADDED a/${version}@${version}`)
    }
    return lines
  }

  return { view, counters, deferred, watcher, follower, send }
}

t.test('watchers that wait at different places all get everything', async (t) => {
  const { follower, send } = setup()
  const [slow, slower, quick] = [follower(), follower(), follower()]
  slow.block()
  slower.block()
  const first = send(1, 100)
  slow.release()
  slow.block()
  const second = send(101, 300)
  slow.release()
  const all = [...first, ...second]
  t.strictSame(slow.lines(), all)
  t.strictSame(quick.lines(), all)
  t.equal(quick.writes, 300)
  slower.release()
  t.strictSame(slower.lines(), all)
  t.ok(slower.writes < 20, 'in few writes')
})

t.test('a view lets go of what every watcher has', async (t) => {
  const { follower, send } = setup({ backlogEventsMax: 100 })
  const [left, right] = [follower(), follower()]
  const all: string[] = []
  // One of both is always behind, but never by much: the log must not grow over its bound.
  for (let round = 0; round < 20; round++) {
    left.block()
    all.push(...send(all.length + 1, all.length + 30))
    right.block()
    all.push(...send(all.length + 1, all.length + 5))
    left.release()
    all.push(...send(all.length + 1, all.length + 5))
    right.release()
  }
  t.strictSame([left.state, right.state], ['open', 'open'])
  t.strictSame(left.lines(), all)
  t.strictSame(right.lines(), all)
})

t.test('a watcher whose socket is busy writes nothing, whatever wakes it', async (t) => {
  const { deferred, watcher, view, counters } = setup()
  const { stream, watcher: made } = watcher()
  let slices = 0
  stream.block()
  made.read({
    next() {
      slices++
      return { bytes: Buffer.from(`${JSON.stringify({ slices })}\n`), events: 1 }
    },
  })
  made.wake()
  made.join(view)
  made.wake()
  t.strictSame([slices, stream.writes, deferred.length], [1, 1, 0])
  stream.release()
  t.strictSame([slices, deferred.length], [2, 1], 'then one slice for each turn')
  made.wake()
  t.equal(slices, 2)
  made.close()
  for (const action of deferred) action()
  t.strictSame([slices, stream.state, view.isEmpty, counters.eventsDelivered], [2, 'ended', true, 2])
})

t.test('leaving in the middle of a flush disturbs nobody', async (t) => {
  const { watcher, send, view } = setup()
  const { stream, watcher: leaver } = watcher()
  leaver.join(view)
  leaver.wake()
  const { stream: stays, watcher: stayer } = watcher()
  stayer.join(view)
  stayer.wake()
  const write = stream.write
  stream.write = (chunk) => {
    leaver.close()
    return write(chunk) && false
  }
  const lines = send(1, 3)
  t.strictSame(stays.lines(), lines)
  t.equal(stream.state, 'ended')
  stayer.close()
  t.equal(view.isEmpty, true)
})

t.test('what is missed is made once for all that miss it', async (t) => {
  const log = new ChunkLog()
  t.equal(log.after(0, 100), undefined)
  for (const text of ['a', 'bb', 'ccc']) log.append(sharedChunk(Buffer.from(text)), 1)
  const missed = log.after(0, 100)
  t.match(missed, { events: 3, next: 3 })
  t.equal(missed?.chunk.payload.toString(), 'abbccc')
  t.equal(log.after(0, 100), missed)
  t.equal(log.after(1, 3)?.chunk.payload.toString(), 'bb', 'as much as one write may hold')
  t.equal(log.after(2, 1)?.chunk.payload.toString(), 'ccc', 'but at least one chunk')
  log.trim(4, 100)
  t.strictSame([log.start, log.next, log.bytes, log.events], [2, 3, 3, 1])
  log.skip()
  t.strictSame([log.start, log.next, log.bytes], [4, 4, 0])
})

t.test('a chunk is framed once for HTTP/1.1', async (t) => {
  const chunk = sharedChunk(Buffer.from('0123456789abcdef'))
  t.equal(chunk.http1().toString(), '10\r\n0123456789abcdef\r\n')
  t.equal(chunk.http1(), chunk.http1())
})

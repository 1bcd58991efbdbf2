/**
 * Streams that got frames in this turn of the event loop send them at its end, together: one write for each socket,
 * and one buffer for all sockets that send the same frames.
 */

export interface Flushable {
  flush(): void
}

let waiting: Flushable[] = []

/** Calls `flush` once at the end of this turn. The caller remembers that it waits. */
export function flushAtTurnEnd(stream: Flushable): void {
  if (waiting.push(stream) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  const streams = waiting
  waiting = []
  for (const stream of streams) stream.flush()
  lastFrames = []
  lastJoined = noBytes
}

const noBytes = Buffer.alloc(0)
let lastFrames: readonly Buffer[] = []
let lastJoined = noBytes

/**
 * The frames as one buffer. Watchers of one view flush one after the other with the same frames: the second and all
 * later ones get the buffer of the first.
 */
export function join(frames: readonly Buffer[]): Buffer {
  if (!sameFrames(frames, lastFrames)) {
    lastFrames = frames
    lastJoined = Buffer.concat(frames)
  }
  return lastJoined
}

function sameFrames(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  if (a.length !== b.length) return false
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false
  return true
}

/** A response stream that keeps what is written, and can be as slow as a test wants. */

import type { ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'

interface WatchFrame {
  readonly type: string
  readonly object: {
    readonly kind?: string
    readonly code?: number
    readonly reason?: string
    readonly spec?: Readonly<Record<string, unknown>>
    readonly metadata: {
      readonly name: string
      readonly namespace: string
      readonly resourceVersion: string
      readonly annotations?: Readonly<Record<string, string>>
      readonly labels?: Readonly<Record<string, string>>
    }
  }
}

export interface RecordingStream extends ResponseStream {
  /** The frames so far, parsed. */
  frames(): readonly WatchFrame[]
  /** `TYPE namespace/name@resourceVersion` of each frame so far. */
  lines(): readonly string[]
  readonly writes: number
  readonly state: 'open' | 'ended' | 'aborted'
  /** From now on `write` answers false, until `release`. */
  block(): void
  release(): void
}

export function createRecordingStream(): RecordingStream {
  let text = ''
  let writes = 0
  let state: 'open' | 'ended' | 'aborted' = 'open'
  let blocked = false
  let drain: () => void = () => undefined

  function frames(): readonly WatchFrame[] {
    return text
      .split('\n')
      .slice(0, -1)
      .map((line): WatchFrame => JSON.parse(line))
  }

  return {
    bufferedBytes: 0,
    frames,
    lines: () =>
      frames().map(({ type, object }) => {
        const { namespace, name, resourceVersion } = object.metadata
        if (type === 'ERROR') return `ERROR ${object.code} ${object.reason}`
        if (type === 'BOOKMARK') return `BOOKMARK @${resourceVersion}`
        return `${type} ${namespace}/${name}@${resourceVersion}`
      }),
    get writes() {
      return writes
    },
    get state() {
      return state
    },
    block: () => {
      blocked = true
    },
    release: () => {
      blocked = false
      drain()
    },
    write(chunk: SharedChunk | Buffer) {
      if (state !== 'open') return true
      writes++
      text += (Buffer.isBuffer(chunk) ? chunk : chunk.payload).toString()
      return !blocked
    },
    onDrain(action) {
      drain = action
    },
    end: () => {
      if (state === 'open') state = 'ended'
    },
    abort: () => {
      if (state === 'open') state = 'aborted'
    },
  }
}

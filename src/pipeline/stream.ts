/** A stream whose end is seen, whoever brings it about: this side, or the client. */

import type { Exchange, ResponseStream } from './exchange.ts'

/** `ended` runs once. */
export function observedStream(
  exchange: Exchange,
  stream: ResponseStream,
  ended: () => void,
): ResponseStream {
  let over = false
  const finish = () => {
    if (over) return
    over = true
    ended()
  }
  exchange.onClose(finish)
  return {
    write: (chunk) => stream.write(chunk),
    onDrain: (action) => stream.onDrain(action),
    end() {
      stream.end()
      finish()
    },
    abort() {
      stream.abort()
      finish()
    },
    get bufferedBytes() {
      return stream.bufferedBytes
    },
  }
}

/** An answer that is on its way through this server: to whoever asked, at their pace, until either side ends. */

import type { Duplex } from 'node:stream'
import { fail, ok } from '../../store/contract.ts'
import type { StreamedAnswer } from '../outside/outside.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { Headers, ResponseStream } from '../pipeline/exchange.ts'
import type { StreamOwner } from '../pipeline/stream.ts'
import type { ApiRequest } from '../registry/machinery.ts'
import type { StreamRegister } from '../registry/watch.ts'
import { badRequest } from '../status/failures.ts'

/**
 * @param headers of the answer as the client sees it
 * @param register so that a stop of the server ends it
 */
export function passOn(
  request: ApiRequest,
  answer: StreamedAnswer,
  headers: Headers,
  register: StreamRegister,
): Outcome {
  const passing = new Passing(answer, register)
  if (answer.connection !== undefined) {
    const client = request.openTunnel(headers, passing)
    if (client === undefined) {
      passing.onStreamEnd()
      return fail(badRequest('the backend changed to another protocol, which nobody had asked it for'))
    }
    join(client, answer.connection)
    return ok({ type: 'streaming', code: 101 })
  }
  const stream = request.openStream(headers, passing, answer.status)
  void send(answer.body, stream)
  return ok({ type: 'streaming', code: answer.status })
}

/** Whichever ends first, the stream or the server, ends the answer behind it. */
class Passing implements StreamOwner {
  readonly #answer: StreamedAnswer
  readonly #register: StreamRegister

  constructor(answer: StreamedAnswer, register: StreamRegister) {
    this.#answer = answer
    this.#register = register
    register.add(this)
  }

  close(): void {
    this.#answer.abort()
  }

  onStreamEnd(): void {
    this.#register.remove(this)
    this.#answer.abort()
  }
}

/** Never rejects. */
async function send(body: AsyncIterable<Buffer>, stream: ResponseStream): Promise<void> {
  let go: (() => void) | undefined
  stream.onDrain(() => go?.())
  for await (const chunk of body) {
    if (stream.write(chunk, true)) continue
    await new Promise<void>((resolve) => {
      go = resolve
    })
  }
  stream.end()
}

/** Bytes go both ways; half of it may end before the other. What is gone takes the other side with it. */
function join(client: Duplex, backend: Duplex): void {
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    from.pipe(to)
    from.on('error', ignore) // 'close' follows
    from.once('close', () => to.destroy())
  }
}

function ignore(): void {}

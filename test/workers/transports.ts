import type { Socket } from 'node:net'
import type { Handler } from '../../src/pipeline/exchange.ts'
import type { Result } from '../../store/contract.ts'
import { describeListenFailure, type Listener, type ListenFailure } from '../../workers/http/listener.ts'
import { listenNode } from '../../workers/http/node.ts'
import type { TlsMaterial } from '../../workers/http/tls-material.ts'

/** The listener, or an error that fails the test. */
export async function listening(attempt: Promise<Result<Listener, ListenFailure>>): Promise<Listener> {
  const result = await attempt
  if (!result.ok) throw new Error(describeListenFailure(result.failure))
  return result.value
}

/** Serves on a free port of this machine, over TLS where `tls` is given. What the handler throws ends the process. */
export function serveNode(handler: Handler, tls?: TlsMaterial): Promise<Listener> {
  return listening(
    listenNode({
      host: '127.0.0.1',
      port: 0,
      handler,
      onHandlerError: (error) => {
        throw error
      },
      ...(tls === undefined ? {} : { tls }),
    }),
  )
}

/** The socket once it is connected (over TLS: once the handshake is done). */
export function connected(socket: Socket, event: 'connect' | 'secureConnect' = 'connect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket))
    socket.once('error', reject)
  })
}

import type { Socket } from 'node:net'
import type { Result } from '../../store/contract.ts'
import { describeListenFailure, type Listener, type ListenFailure } from '../../workers/http/listener.ts'

/** The listener, or an error that fails the test. */
export async function listening(attempt: Promise<Result<Listener, ListenFailure>>): Promise<Listener> {
  const result = await attempt
  if (!result.ok) throw new Error(describeListenFailure(result.failure))
  return result.value
}

/** The socket once it is connected (over TLS: once the handshake is done). */
export function connected(socket: Socket, event: 'connect' | 'secureConnect' = 'connect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket))
    socket.once('error', reject)
  })
}

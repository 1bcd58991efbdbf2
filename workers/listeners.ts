/** The listeners of one server: all of them, or none. */

import type { Handler } from '../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import { describeListenFailure, type Listener, type ListenFailure } from './http/listener.ts'
import { listenNode } from './http/node.ts'
import { listenUws } from './http/uws.ts'
import { loadUws } from './http/uws-library.ts'
import type { ServingSettings } from './serving-settings.ts'

/** `message` is for people. */
export type ServingFailure = { readonly code: 'CannotServe'; readonly message: string }

interface Handling {
  readonly handler: Handler
  readonly onHandlerError: (error: unknown) => void
}

interface Listening {
  /** TLS first. */
  readonly listeners: readonly Listener[]
  /** Why the plaintext listener is not the fast one; undefined = it is, or there is none. */
  readonly plainNote: string | undefined
}

export async function listenAll(
  { secure, plain }: Pick<ServingSettings, 'secure' | 'plain'>,
  handling: Handling,
): Promise<Result<Listening, ServingFailure>> {
  const uws = plain === undefined ? undefined : loadUws()
  const attempts: Promise<Result<Listener, ListenFailure>>[] = [listenNode({ ...secure, ...handling })]
  if (plain !== undefined) {
    attempts.push(
      uws?.type === 'loaded'
        ? listenUws({ library: uws.library, ...plain, ...handling })
        : listenNode({ ...plain, ...handling }),
    )
  }
  const results = await Promise.all(attempts)
  const listeners = results.flatMap((result) => (result.ok ? [result.value] : []))
  const refused = results.find((result) => !result.ok)
  if (refused === undefined || refused.ok) {
    return ok({ listeners, plainNote: uws?.type === 'absent' ? uws.reason : undefined })
  }
  await destroyAll(listeners)
  return fail({ code: 'CannotServe', message: describeListenFailure(refused.failure) })
}

export async function destroyAll(listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) listener.destroy()
  await Promise.all(listeners.map((listener) => listener.close()))
}

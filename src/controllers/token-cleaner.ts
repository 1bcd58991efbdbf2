/** Deletes bootstrap tokens that have expired, when they do. Source: specification, "Bootstrap tokens". */

import { bootstrapSecretType, bootstrapTokenOf, hasExpired } from '../authn/bootstrap-token-secret.ts'
import type { Machinery } from '../registry/machinery.ts'
import { parseObject } from '../storage/record.ts'
import { systemUser } from './bootstrap.ts'
import { onField } from './bootstrap-signer.ts'
import type { Controller, Routes } from './controller.ts'
import { followingController } from './following.ts'
import { createInformer } from './informer.ts'
import { deleteOwn } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

/** Longest that a look at a token waits: clocks are set, and timers have an end. */
const lookMs = 3_600_000

export function createTokenCleaner(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log } = machinery
  const maybeSecrets = routes.route('', 'v1', 'secrets')
  if (maybeSecrets === undefined) return { start() {}, close() {} }
  const secrets = maybeSecrets
  const namespace = names.systemNamespace

  async function lookAt(name: string): Promise<string | undefined> {
    const found = await secrets.storage.cached({ namespace, name })
    if (!found.ok) return found.failure.code
    if (found.value === undefined) return undefined
    const secret = parseObject(found.value)
    const token = bootstrapTokenOf(secret, names)
    if (token?.expiresMs === undefined) return undefined
    const nowMs = clock.wallMs()
    if (hasExpired(token, nowMs))
      return deleteOwn(
        { route: secrets, machinery, user: systemUser },
        { namespace, name },
        secret.metadata.uid,
      )
    queue.addLater(name, Math.min(token.expiresMs - nowMs + 1, lookMs))
    return undefined
  }

  const queue = createWorkQueue({ clock, log, name: 'token-cleaner-controller', work: lookAt })
  const informer = createInformer(
    {
      clock,
      log,
      storage: secrets.storage,
      resource: 'secrets',
      namespace,
      selector: onField('type', bootstrapSecretType(names)),
    },
    { set: ({ metadata: { name = '' } }) => queue.add(name), remove() {} },
  )
  return followingController(queue, [informer])
}

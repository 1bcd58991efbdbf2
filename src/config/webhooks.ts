/** The webhooks of one server: who they are, and how they are asked. What asks them is loaded with the first one. */

import type { Clock } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { Lookups } from '../admission/lookup.ts'
import { HookMetrics } from '../admission/webhooks/metrics.ts'
import type { WebhookParts } from '../admission/webhooks/plugins.ts'
import { createHookSource } from '../admission/webhooks/source.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import type { Outside } from '../outside/outside.ts'
import type { Identifiers } from '../pipeline/identifiers.ts'
import { decodeObject } from '../registry/body-object.ts'
import type { ObjectSchema } from '../registry/machinery.ts'
import type { Storage } from '../storage/contract.ts'
import type { TypeRegistry } from '../types/resource.ts'

interface WebhooksParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly identifiers: Identifiers
  readonly schema: ObjectSchema
  readonly lookups: Lookups
  readonly authorizer: Authorizer
  readonly outside: () => Promise<Outside>
}

interface Webhooks extends WebhookParts {
  metricsText(): string
  start(): void
  close(): void
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { names, types, clock, log, identifiers, schema, lookups, authorizer, outside } = parts
  const source = createHookSource(parts)
  const metrics = new HookMetrics()
  let made: Promise<Made> | undefined

  async function make() {
    const [{ Dispatcher }, { ServiceClients }, world] = await Promise.all([
      import('../admission/webhooks/dispatcher.ts'),
      import('../outside/service-clients.ts'),
      outside(),
    ])
    const clients = new ServiceClients(world, lookups('core/services'))
    source.onChange(() => clients.keep(configuredClients()))
    const dispatcher = new Dispatcher({
      names,
      types,
      authorizer,
      clients,
      metrics,
      log,
      namespaces: lookups('core/namespaces'),
      uuid: identifiers.uuid,
      nowMs: () => clock.monotonicMs(),
      decode(value, { kind, message }) {
        const decoded = decodeObject(value, schema, { kind, message }, 'Ignore', [])
        return decoded.ok ? ok(decoded.value) : fail(decoded.failure.message)
      },
    })
    return { dispatcher, clients }
  }

  type Made = Awaited<ReturnType<typeof make>>

  function configuredClients() {
    return (['mutating', 'validating'] as const).flatMap((kind) =>
      (source.current?.[kind] ?? []).map(({ client }) => client),
    )
  }

  return {
    source,
    async dispatcher() {
      made ??= make()
      return (await made).dispatcher
    },
    metricsText: metrics.text,
    start: source.start,
    close() {
      source.close()
      void made?.then(({ clients }) => clients.close())
    },
  }
}

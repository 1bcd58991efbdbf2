/** The converters of one server: what definitions say of theirs, and the clients that webhooks are asked with. */

import type { Clock } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import { throttledWarning } from '../../observe/throttled.ts'
import type { ClientConfig } from '../../outside/client-config.ts'
import type { Outside } from '../../outside/outside.ts'
import type { ServiceClients, Services } from '../../outside/service-clients.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import { type Converter, sameFields } from './converter.ts'
import { ConversionMetrics } from './metrics.ts'
import { readConversionWebhook } from './webhook-config.ts'

interface ConversionsParts {
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly uuid: () => string
  readonly outside: () => Promise<Outside>
  /** Those that definitions name. */
  readonly services: () => Services
}

interface Definition {
  /** `<plural>.<group>`. */
  readonly name: string
  /** `spec.conversion`, valid. */
  readonly conversion: JsonObject
}

export interface Conversions {
  /** How the versions of a definition are converted from now on. */
  converterOf(definition: Definition): Converter
  /** The definition is gone. */
  forget(name: string): void
  metricsText(): string
  close(): void
}

export function createConversions(parts: ConversionsParts): Conversions {
  const { names, clock, log, uuid } = parts
  const metrics = new ConversionMetrics()
  /** By the name of the definition. */
  const webhooks = new Map<string, ClientConfig>()
  let clients: Promise<ServiceClients> | undefined

  /** Most servers have no webhook to ask. */
  async function make(): Promise<ServiceClients> {
    const [{ ServiceClients }, world] = await Promise.all([
      import('../../outside/service-clients.ts'),
      parts.outside(),
    ])
    return new ServiceClients(world, parts.services())
  }

  const webhookParts = {
    group: names.expand('apiextensions.{groups}'),
    clients() {
      clients ??= make()
      return clients
    },
    metrics,
    // A webhook that is down fails every request.
    warn: throttledWarning(log, clock),
    uuid,
    nowMs: () => clock.monotonicMs(),
  }

  function forget(name: string): void {
    if (webhooks.delete(name)) void clients?.then((made) => made.keep([...webhooks.values()]))
  }

  return {
    converterOf({ name, conversion }) {
      const webhook = objectAt(conversion, 'webhook')
      forget(name)
      if (textAt(conversion, 'strategy') !== 'Webhook' || webhook === undefined) return sameFields
      const read = readConversionWebhook(name, webhook)
      webhooks.set(name, read.client)
      return whenAsked(async () => {
        const { createWebhookConverter } = await import('./webhook.ts')
        return createWebhookConverter(read, webhookParts)
      })
    },
    forget,
    metricsText: metrics.text,
    close() {
      webhooks.clear()
      void clients?.then((made) => made.close())
    },
  }
}

/** Made with the first object that is to be converted. */
function whenAsked(make: () => Promise<Converter>): Converter {
  let made: Promise<Converter> | undefined
  return {
    asksOthers: true,
    async convert(objects, apiVersion) {
      made ??= make()
      return (await made).convert(objects, apiVersion)
    },
  }
}

/**
 * Authorizers in an order that an operator chose, webhooks among them: by flags for good, by a file until the file
 * changes. A file that is wrong leaves everything as it was.
 *
 * Source: specification, "Authorization" 5 to 7.
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { type AuthorizationModule, createAuthorizers, createRulesFor } from '../authz/authorizer.ts'
import type { BuiltInMode } from '../authz/modes.ts'
import { createWebhookAuthorizer } from '../authz/webhook/authorizer.ts'
import { WebhookMetrics } from '../authz/webhook/metrics.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import { openEndpoint } from '../outside/kubeconfig.ts'
import type { Outside } from '../outside/outside.ts'
import type { AuthorizerSettings } from './authorization-config.ts'
import { followFile } from './follow-file.ts'
import { createReloadMetrics } from './reload-metrics.ts'

interface ChainParts {
  readonly outside: Outside
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly fraction: () => number
  readonly serverIdHash: string
}

export type BuiltIn = (mode: BuiltInMode) => AuthorizationModule

export interface AuthorizerChain {
  /** @param builtIn gives the server's own module of a mode, always the same one */
  module(builtIn: BuiltIn): AuthorizationModule
  metricsText(): string
  start(): void
  close(): void
}

/** What the old webhooks were asked may still be on its way. */
const farewellMs = 60_000

type Link =
  | { readonly mode: BuiltInMode; readonly name: string }
  | { readonly module: AuthorizationModule; readonly name: string; close(): void }

/** Fails with a sentence that names the file of a webhook. */
async function openLinks(
  settings: readonly AuthorizerSettings[],
  parts: ChainParts,
  metrics: WebhookMetrics,
): Promise<Result<readonly Link[], string>> {
  const group = parts.names.expand('authorization.{groups}')
  const links: Link[] = []
  for (const one of settings) {
    if (one.type === 'builtIn') {
      links.push({ mode: one.mode, name: one.name })
      continue
    }
    const endpoint = await openEndpoint(one.webhook.kubeconfigFile, parts.outside, parts.clock)
    if (!endpoint.ok) {
      closeLinks(links)
      return endpoint
    }
    links.push({
      name: one.webhook.name,
      module: createWebhookAuthorizer({
        settings: one.webhook,
        endpoint: endpoint.value,
        group,
        metrics,
        ...parts,
      }),
      close: () => endpoint.value.client.close(),
    })
  }
  return ok(links)
}

function closeLinks(links: readonly Link[]): void {
  for (const link of links) if ('close' in link) link.close()
}

function joined(links: readonly Link[], builtIn: BuiltIn, metrics: WebhookMetrics): AuthorizationModule {
  const modules = links.map((link) => {
    const [type, module] = 'mode' in link ? [link.mode, builtIn(link.mode)] : ['Webhook', link.module]
    return metrics.decisions.counted(module, { type, name: link.name })
  })
  return { ...createAuthorizers(modules), ...createRulesFor(modules) }
}

/** By flags. */
export async function openFixedChain(
  settings: readonly AuthorizerSettings[],
  parts: ChainParts,
): Promise<Result<AuthorizerChain, string>> {
  const metrics = new WebhookMetrics()
  const links = await openLinks(settings, parts, metrics)
  if (!links.ok) return links
  return ok({
    module: (builtIn) => joined(links.value, builtIn, metrics),
    metricsText: () => metrics.text(),
    start() {},
    close: () => closeLinks(links.value),
  })
}

/** By a file. */
export async function openReloadedChain(
  path: string,
  parts: ChainParts,
): Promise<Result<AuthorizerChain, string>> {
  const { outside, clock, log, names } = parts
  const metrics = new WebhookMetrics()
  const reloads = createReloadMetrics({ subject: 'authorization', ...parts })
  const text = await outside.readFile(path)
  if (!text.ok) return fail(`--authorization-config ${path} ${text.failure}`)
  const first = await read(text.value)
  if (!first.ok) return fail(`--authorization-config ${path}: ${first.failure}`)
  let links = first.value
  let closed = false
  const bound: { builtIn: BuiltIn; current: AuthorizationModule }[] = []

  async function read(content: string): Promise<Result<readonly Link[], string>> {
    // the engine for expressions comes with it: whoever has no such file need not load it
    const { parseAuthorizationConfig } = await import('./authorization-config.ts')
    const settings = parseAuthorizationConfig(content, names)
    return settings.ok ? openLinks(settings.value, parts, metrics) : settings
  }

  function failed(reason: string): void {
    reloads.record('failure')
    log.error('the authorization configuration was not taken over: the former one goes on to count', {
      path,
      reason,
    })
  }

  async function changed(content: string): Promise<void> {
    const next = await read(content)
    if (!next.ok) return failed(next.failure)
    if (closed) return closeLinks(next.value)
    const former = links
    links = next.value
    for (const one of bound) one.current = joined(links, one.builtIn, metrics)
    clock.after(farewellMs, () => closeLinks(former))
    reloads.record('success')
    log.info('the authorization configuration was taken over', { path })
  }

  const file = followFile({ path, text: text.value, outside, clock, changed, unreadable: failed })
  return ok({
    module(builtIn) {
      const one = { builtIn, current: joined(links, builtIn, metrics) }
      bound.push(one)
      return {
        authorize: (attributes) => one.current.authorize(attributes),
        rulesFor: (user, namespace) => one.current.rulesFor(user, namespace),
      }
    },
    metricsText: () => reloads.text() + metrics.text(),
    start: file.start,
    close() {
      closed = true
      file.close()
      closeLinks(links)
    },
  })
}

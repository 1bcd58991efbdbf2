/**
 * Tells extension servers whom this server trusts: the config map `extension-apiserver-authentication` carries the client
 * CA and what is known of proxies. What other servers have put there stays: bundles and lists are united.
 *
 * Source: specification, "Authenticating proxy".
 */

import type { RequestHeaderConfig } from '../authn/request-header.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Machinery } from '../registry/machinery.ts'
import type { Router } from '../registry/router.ts'
import { systemManager, systemUser } from './bootstrap.ts'
import type { Controller } from './controller.ts'
import { changeOwn, createOwn } from './own-writes.ts'
import { recurringController } from './recurring.ts'

export interface AuthenticationTrust {
  /** PEM text; undefined = certificates of clients are not looked at. */
  readonly clientCa: string | undefined
  readonly requestHeader: (RequestHeaderConfig & { readonly ca: string }) | undefined
}

const configMapName = 'extension-apiserver-authentication'
const retryMs = 1000
/** The CAs may have been replaced since. */
const againMs = 10_000

export function createAuthenticationTrustController(
  trust: () => AuthenticationTrust,
  machinery: Machinery,
  router: Router,
): Controller {
  const { clock, log, names } = machinery
  const route = router.route('', 'v1', 'configmaps')

  /** Undefined = it is as it should be. */
  async function ensure(): Promise<string | undefined> {
    if (route === undefined) return undefined
    const name = { namespace: names.systemNamespace, name: configMapName }
    const write = { route, machinery, user: systemUser, manager: systemManager }
    const found = await route.storage.cached(name)
    if (!found.ok) return found.failure.code
    if (found.value === undefined) {
      const { apiVersion, kind } = route.type
      const made = await createOwn(write, { apiVersion, kind, metadata: name, data: trustData(trust(), {}) })
      return made.ok ? undefined : made.failure.message
    }
    const changed = await changeOwn(write, name, (object) => {
      const old = isJsonObject(object['data']) ? object['data'] : {}
      const data = trustData(trust(), old)
      const same = Object.entries(data).every(([key, value]) => old[key] === value)
      return same ? undefined : { ...object, data }
    })
    return changed.ok ? undefined : changed.failure.message
  }

  return recurringController({
    clock,
    log,
    trouble: 'the trust of extension servers is not written yet',
    work: ensure,
    againMs,
    retryMs,
  })
}

/** What the config map should hold, beside what it holds already. */
function trustData({ clientCa, requestHeader }: AuthenticationTrust, old: JsonObject): JsonObject {
  return {
    ...old,
    ...(clientCa === undefined ? {} : { 'client-ca-file': unitedBundle(old['client-ca-file'], clientCa) }),
    ...(requestHeader === undefined
      ? {}
      : {
          'requestheader-client-ca-file': unitedBundle(old['requestheader-client-ca-file'], requestHeader.ca),
          'requestheader-allowed-names': unitedNames(
            old['requestheader-allowed-names'],
            requestHeader.allowedNames,
          ),
          'requestheader-username-headers': unitedList(
            old['requestheader-username-headers'],
            requestHeader.usernameHeaders,
          ),
          'requestheader-group-headers': unitedList(
            old['requestheader-group-headers'],
            requestHeader.groupHeaders,
          ),
          'requestheader-extra-headers-prefix': unitedList(
            old['requestheader-extra-headers-prefix'],
            requestHeader.extraPrefixes,
          ),
        }),
  }
}

/** An empty list of names allows all: it stays empty, whoever says so. */
function unitedNames(old: unknown, own: readonly string[]): string {
  const before = listOf(old)
  return own.length === 0 || before?.length === 0 ? '[]' : unitedList(old, own)
}

function unitedList(old: unknown, own: readonly string[]): string {
  return JSON.stringify([...new Set([...(listOf(old) ?? []), ...own])])
}

/** Undefined = it is no list of texts. */
function listOf(text: unknown): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function unitedBundle(old: unknown, own: string): string {
  const before = typeof old === 'string' ? (old.match(certificate) ?? []) : []
  const all = [...before, ...(own.match(certificate) ?? [])].map((block) => block.replace(/\r/g, ''))
  return `${[...new Set(all)].join('\n')}\n`
}

/**
 * How the servers of one cluster know of each other: each keeps a lease in the system namespace, named after its
 * address, and renews it. A server whose lease has not moved for a while is taken for dead. "A while" is measured here,
 * from when the change was seen: the servers' clocks need not agree.
 */

import { createHash } from 'node:crypto'
import type { Machinery, ResourceRoute } from '../../registry/machinery.ts'
import type { CachedObject, Selector } from '../../storage/contract.ts'
import { parseObject } from '../../storage/record.ts'
import { systemUser } from '../bootstrap.ts'
import { changeOwn, createOwn, deleteOwn } from '../own-writes.ts'

export interface ServerAddress {
  /** An IP address. */
  readonly host: string
  readonly port: number
}

interface ServerLease {
  /** Says that this server lives. Gives what is in the way; undefined = done. */
  renew(): Promise<string | undefined>
  /** Servers that live as far as this one knows, itself included. Fails with what is in the way. */
  living(): Promise<readonly ServerAddress[] | string>
  /** Says that this server goes. */
  release(): Promise<void>
}

/** A server that missed this many milliseconds of renewals is left out. */
const deadAfterMs = 30_000
export const renewMs = 10_000

const manager = 'apiserver-identity'
/** As those of this API's other servers: the lease outlives its server by an hour, for people who look. */
const leaseDurationSeconds = 3600

/** `route`: of leases. */
export function createServerLease(
  machinery: Machinery,
  route: ResourceRoute,
  address: ServerAddress,
): ServerLease {
  const { names, clock, identifiers } = machinery
  const write = { route, machinery, user: systemUser, manager }
  const name = { namespace: names.systemNamespace, name: leaseName(address) }
  const labels = { [names.expand('apiserver.{labels}/identity')]: names.expand('{prefix}-apiserver') }
  const annotation = names.expand('apiserver.{labels}/advertise-address')
  const holderIdentity = `${name.name}_${identifiers.uuid()}`
  const selector = selectorOf(labels)
  /** By name: the revision last seen, and when it was first seen. */
  const seen = new Map<string, { readonly revision: number; readonly atMs: number }>()

  function spec() {
    return { holderIdentity, leaseDurationSeconds, renewTime: microTime(clock.wallMs()) }
  }

  function isAlive({ name, revision }: CachedObject): boolean {
    const known = seen.get(name)
    const now = clock.monotonicMs()
    if (known?.revision === revision) return now - known.atMs < deadAfterMs
    seen.set(name, { revision, atMs: now })
    return true
  }

  return {
    async renew() {
      const annotations = { [annotation]: joinAddress(address) }
      const renewed = await changeOwn(write, name, (lease) => ({
        ...lease,
        metadata: { ...lease.metadata, labels, annotations },
        spec: spec(),
      }))
      if (renewed.ok) return undefined
      if (renewed.failure.reason !== 'NotFound') return renewed.failure.message
      const { apiVersion, kind } = route.type
      const metadata = { ...name, labels, annotations }
      const made = await createOwn(write, { apiVersion, kind, metadata, spec: spec() })
      return made.ok ? undefined : made.failure.message
    },

    async living() {
      const { namespace } = name
      const found = await route.storage.list({ namespace, selector, start: { type: 'mostRecent' } })
      if (!found.ok) return found.failure.code
      const { items } = found.value
      for (const known of seen.keys()) if (!items.some((lease) => lease.name === known)) seen.delete(known)
      const texts = items
        .filter(isAlive)
        .map((lease) => parseObject(lease).metadata.annotations?.[annotation] ?? '')
      return texts.map(splitAddress).filter((one) => one !== undefined)
    },

    async release() {
      await deleteOwn(write, name, undefined)
    },
  }
}

function selectorOf(labels: Readonly<Record<string, string>>): Selector {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, operator: 'in', values: [value] })),
    fields: [],
  }
}

/** The same after a restart. */
function leaseName({ host, port }: ServerAddress): string {
  const digest = createHash('sha256').update(joinAddress({ host, port })).digest('hex')
  return `apiserver-${digest.slice(0, 26)}`
}

function joinAddress({ host, port }: ServerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function splitAddress(text: string): ServerAddress | undefined {
  const [, host, port] = /^\[?([0-9a-fA-F.:]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

/** RFC 3339 with microseconds, as leases carry times. */
function microTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, -1)}000Z`
}

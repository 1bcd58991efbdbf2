import { isIP } from 'node:net'
import type { Names } from '../../src/names/names.ts'

interface NameSources {
  readonly names: Names
  readonly hostname: string
  /** Addresses of this machine's interfaces. */
  readonly interfaceAddresses: readonly string[]
  /** `--tls-sans`, `--advertise-address`, `--external-hostname`, `--bind-address`. */
  readonly given: readonly string[]
}

/**
 * Names and addresses that the serving certificate is good for: this machine's, those the operator names, and those
 * under which a cluster's own clients know their API server. Each once, `localhost` first.
 */
export function servingNames({ names, hostname, interfaceAddresses, given }: NameSources): readonly string[] {
  const service = [
    names.product,
    `${names.product}.default`,
    `${names.product}.default.svc`,
    `${names.product}.default.svc.cluster.local`,
  ]
  const all = ['localhost', hostname, ...service, '127.0.0.1', '::1', ...interfaceAddresses, ...given]
  return [...new Set(all.map(withoutZone).filter(isCertifiable))]
}

/** Link-local addresses carry their interface: `fe80::1%eth0`. */
function withoutZone(name: string): string {
  return name.replace(/%.*$/, '')
}

/** An address of one machine (not "any"), or a host name that certificates can hold. */
export function isCertifiable(name: string): boolean {
  if (isIP(name) !== 0) return name !== '0.0.0.0' && name !== '::'
  return (
    name.length <= 253 &&
    /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(name)
  )
}

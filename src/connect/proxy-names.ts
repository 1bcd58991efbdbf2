/** Where a proxied request goes: read off the name in its path, and off the objects of that name. */

import { isIP } from 'node:net'
import { fail, ok } from '../../store/contract.ts'
import type { Checked } from '../registry/machinery.ts'
import { badRequest } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

export interface ProxyName {
  readonly scheme: '' | 'http' | 'https'
  readonly name: string
  /** Number or name; '' = the usual one. */
  readonly port: string
}

/** `name`, `name:port`, `scheme:name:port` (name and port may follow an empty scheme). Undefined = none of these. */
export function proxyName(text: string): ProxyName | undefined {
  const parts = text.split(':')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1) return first === '' ? undefined : { scheme: '', name: first, port: '' }
  if (parts.length === 2) return first === '' ? undefined : { scheme: '', name: first, port: second }
  if (parts.length !== 3 || second === '') return undefined
  return first === '' || first === 'http' || first === 'https'
    ? { scheme: first, name: second, port: third }
    : undefined
}

/** `http://10.0.0.7:8080`. Without a port, the first that a container names. */
export function podOrigin(pod: ApiObject, { scheme, port }: ProxyName): Checked<string> {
  const containers = objectsAt(objectAt(pod, 'spec'), 'containers')
  const [first] = containers.flatMap((container) => objectsAt(container, 'ports').slice(0, 1))
  const named = first?.['containerPort']
  const chosen = port === '' && typeof named === 'number' ? String(named) : port
  const host = hostOf(textAt(objectAt(pod, 'status'), 'podIP'))
  if (host === undefined) return fail(notAllowed)
  if (chosen !== '' && !isPort(chosen)) return fail(badRequest(`invalid pod port ${JSON.stringify(chosen)}`))
  return ok(`${scheme === '' ? 'http' : scheme}://${host}${chosen === '' ? '' : `:${chosen}`}`)
}

/** @param fraction 0 ≤ x < 1: which of the addresses that serve */
export function serviceOrigin(
  service: ApiObject,
  endpoints: ApiObject,
  { scheme, name, port }: ProxyName,
  fraction: number,
): Checked<string> {
  const subsets = objectsAt(draftOf(endpoints), 'subsets')
  if (subsets.length === 0) return fail(unavailable(`no endpoints available for service "${name}"`))
  // A port of the service by its number is the one of that name behind it.
  const [byNumber] = objectsAt(objectAt(service, 'spec'), 'ports').filter(
    (one) => isPort(port) && one['port'] === Number(port),
  )
  const wanted = byNumber === undefined ? port : textAt(byNumber, 'name')
  const origins = subsets.flatMap((subset) => {
    const ports = objectsAt(subset, 'ports')
    const match = ports.filter(
      (one) => textAt(one, 'name') === wanted || (wanted === '' && ports.length === 1),
    )
    return match.slice(0, 1).flatMap((one) =>
      objectsAt(subset, 'addresses').flatMap((address) => {
        const host = hostOf(textAt(address, 'ip'))
        return host === undefined ? [] : [`${host}:${one['port']}`]
      }),
    )
  })
  const chosen = origins[Math.floor(fraction * origins.length)]
  return chosen === undefined
    ? fail(unavailable(`no service port ${JSON.stringify(port)} found for service "${name}"`))
    : ok(`${scheme === '' ? 'http' : scheme}://${chosen}`)
}

/** Undefined = no address, or one that leads back to this machine or its links: those are nobody's in the cluster. */
function hostOf(ip: string): string | undefined {
  switch (isIP(ip)) {
    case 4:
      return /^(?:127|0)\.|^169\.254\.|^224\.0\.0\./.test(ip) ? undefined : ip
    case 6:
      return /^(?:::1$|::$|fe[89ab]|ff[012]|::ffff:)/i.test(ip) ? undefined : `[${ip}]`
    default:
      return undefined
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536
}

const notAllowed = badRequest('address not allowed')

function unavailable(message: string): ApiFailure {
  return { reason: 'ServiceUnavailable', message }
}

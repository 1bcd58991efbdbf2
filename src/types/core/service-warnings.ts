/** What clients are warned of when they write services: addresses in odd forms, and fields that are not looked at. */

import { formatAddress, parseAddress } from '../../ip.ts'
import type { ApiObject } from '../object.ts'
import { has, jsonOf, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'

/** @param labelDomain `kubernetes.io` */
export function serviceWarnings(object: ApiObject, labelDomain: string): readonly string[] {
  const spec = specOf(object)
  const hints = `service.${labelDomain}/topology-aware-hints`
  const annotations = objectIn(objectIn(jsonOf(object), 'metadata'), 'annotations')
  const isExternal = textIn(spec, 'type') === 'ExternalName'
  const warnings: string[] = []
  if (has(annotations, hints))
    warnings.push(
      `annotation ${hints} is deprecated, please use service.${labelDomain}/topology-mode instead`,
    )
  for (const list of ['clusterIPs', 'externalIPs']) {
    for (const [i, address] of textsIn(spec, list).entries()) {
      if (list === 'clusterIPs' && address === 'None') continue
      warnings.push(...addressWarnings(`spec.${list}[${i}]`, address))
    }
  }
  const balancer = textIn(spec, 'loadBalancerIP')
  if (balancer !== '') warnings.push(...addressWarnings('spec.loadBalancerIP', balancer))
  for (const [i, range] of textsIn(spec, 'loadBalancerSourceRanges').entries())
    warnings.push(...rangeWarnings(`spec.loadBalancerSourceRanges[${i}]`, range))
  if (isExternal && textsIn(spec, 'externalIPs').length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (!isExternal && textIn(spec, 'externalName') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  return warnings
}

const invalidSoon = 'was accepted, but will be invalid in a future Kubernetes release'

function addressWarnings(path: string, address: string): readonly string[] {
  const problem = addressProblem(address)
  if (problem !== undefined) return [`${path}: IP address ${invalidSoon}: ${problem}`]
  const canonical = canonicalV6(address)
  if (canonical === undefined || canonical === address) return []
  return [`${path}: IPv6 address ${notCanonical(address, canonical)}`]
}

function rangeWarnings(path: string, range: string): readonly string[] {
  const [address = '', bits = ''] = range.split('/')
  const problem = addressProblem(address)
  if (problem !== undefined)
    return [`${path}: IP prefix ${invalidSoon}: netip.ParsePrefix(${JSON.stringify(range)}): ${problem}`]
  const canonical = canonicalV6(address)
  if (canonical === undefined || canonical === address) return []
  return [`${path}: IPv6 prefix ${notCanonical(range, `${canonical}/${bits}`)}`]
}

function notCanonical(given: string, canonical: string): string {
  return `${JSON.stringify(given)} is not in RFC 5952 canonical format (${JSON.stringify(canonical)}), which may cause controller apply-loops`
}

/** What stricter readers of addresses say. */
function addressProblem(address: string): string | undefined {
  if (parseAddress(address) === undefined) return `ParseAddr(${JSON.stringify(address)}): unable to parse IP`
  return !address.includes(':') && /(^|\.)0\d/.test(address)
    ? `ParseAddr(${JSON.stringify(address)}): IPv4 field has octet with leading zero`
    : undefined
}

/** Undefined = not IPv6, or one that holds an address of IPv4. */
function canonicalV6(text: string): string | undefined {
  const address = text.includes('.') ? undefined : parseAddress(text)
  return address?.family === 'IPv6' ? formatAddress(address) : undefined
}

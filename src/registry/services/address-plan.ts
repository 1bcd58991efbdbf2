/**
 * Which families and addresses a service has. Source: Kubernetes API reference, ServiceSpec (clusterIPs, ipFamilies,
 * ipFamilyPolicy).
 */

import { type Address, formatAddress, parseAddress } from '../../ip.ts'
import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Range } from '../../types/validation/ip.ts'
import { objectIn, textIn, textsIn } from '../../types/validation/read.ts'
import { contains } from './ranges.ts'

type Family = Address['family']

const headless = 'None'

export function isInside(spec: JsonObject): boolean {
  return textIn(spec, 'type') !== 'ExternalName'
}

export function isHeadless(spec: JsonObject): boolean {
  return addressesOf(spec)[0] === headless
}

/** As the client gave them; `clusterIP` alone counts as the first. */
export function addressesOf(spec: JsonObject): readonly string[] {
  const all = textsIn(spec, 'clusterIPs')
  const first = textIn(spec, 'clusterIP')
  return all.length > 0 || first === '' ? all : [first]
}

/** Canonical, so that two spellings of an address are one claim. */
export function canonicalAddress(text: string): string {
  const address = parseAddress(text)
  return address === undefined ? text : formatAddress(address)
}

interface FamilyPlan {
  readonly families: readonly Family[]
  readonly policy: string
}

/** `configured`: one or two, the primary first. Causes in the order of their fields. */
export function planFamilies(
  spec: JsonObject,
  configured: readonly Family[],
): { readonly plan: FamilyPlan; readonly causes: readonly Cause[] } {
  const causes: Cause[] = []
  const given = textsIn(spec, 'ipFamilies')
  const addresses = isHeadless(spec) ? [] : addressesOf(spec)
  const isFree = isHeadless(spec) && !hasSelector(spec)
  const asked = textIn(spec, 'ipFamilyPolicy')
  checkFamilies(causes, given, configured, isFree)
  checkPolicy(causes, asked, Math.max(given.length, addresses.length), configured, isFree)
  checkAddressFamilies(causes, addresses, given, configured)
  const start = given.length > 0 ? given.filter(isFamily) : addresses.map(familyOf).filter(isFamily)
  const families = [...start]
  if (families.length === 0) families.push(configured[0] ?? 'IPv4')
  const policy = asked !== '' ? asked : usualPolicy(families.length, isFree)
  const both = isFree ? allFamilies : configured
  if (policy !== 'SingleStack') families.push(...both.filter((one) => !families.includes(one)))
  return { plan: { families, policy }, causes }
}

const allFamilies: readonly Family[] = ['IPv4', 'IPv6']

function usualPolicy(count: number, isFree: boolean): string {
  return isFree || count > 1 ? 'RequireDualStack' : 'SingleStack'
}

function hasSelector(spec: JsonObject): boolean {
  return Object.keys(objectIn(spec, 'selector') ?? {}).length > 0
}

function isFamily(text: string): text is Family {
  return text === 'IPv4' || text === 'IPv6'
}

function familyOf(address: string): string {
  return parseAddress(address)?.family ?? ''
}

/** Nobody routes to a headless service without selector: it may be of any family. */
function checkFamilies(
  causes: Cause[],
  given: readonly string[],
  configured: readonly Family[],
  isFree: boolean,
): void {
  for (const [i, family] of given.entries()) {
    if (!isFree && isFamily(family) && !configured.includes(family))
      causes.push(invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
  }
}

function checkPolicy(
  causes: Cause[],
  policy: string,
  familiesAsked: number,
  configured: readonly Family[],
  isFree: boolean,
): void {
  const at = 'spec.ipFamilyPolicy'
  if (policy === 'RequireDualStack' && configured.length < 2 && !isFree)
    causes.push(invalidValue(at, policy, 'this cluster is not configured for dual-stack services'))
  if (policy === 'SingleStack' && familiesAsked > 1)
    causes.push(
      invalidValue(
        at,
        policy,
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families or addresses are specified",
      ),
    )
}

function checkAddressFamilies(
  causes: Cause[],
  addresses: readonly string[],
  families: readonly string[],
  configured: readonly Family[],
): void {
  for (const [i, address] of addresses.entries()) {
    const family = familyOf(address)
    const at = `spec.clusterIPs[${i}]`
    const wanted = families[i]
    if (!isFamily(family)) continue
    if (wanted !== undefined && wanted !== family)
      causes.push(
        invalidValue(at, address, `expected an ${wanted} value as indicated by \`ipFamilies[${i}]\``),
      )
    else if (!configured.includes(family))
      causes.push(invalidValue(at, address, `${family} is not configured on this cluster`))
  }
}

/** What is wrong with an address that was asked for; undefined = it can be had if it is free. */
export function rangeCause(
  address: string,
  addresses: readonly string[],
  ranges: readonly Range[],
): Cause | undefined {
  const parsed = parseAddress(address)
  const range = ranges.find(({ family }) => family === parsed?.family)
  if (parsed === undefined || range === undefined || contains(range, parsed)) return undefined
  const text = `${formatAddress(range)}/${range.prefixBits}`
  return invalidValue(
    'spec.clusterIPs',
    addresses,
    `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${text}`,
  )
}

/** Amounts of resources: what they may be, and which is more. Source: Kubernetes API conventions, "Units". */

import { parseQuantity } from '../../schema/quantity.ts'
import { invalidValue } from '../../status/causes.ts'
import { type Causes, fieldOf } from './checks.ts'
import { qualifiedNameProblem } from './names.ts'
import type { Given } from './read.ts'
import { textIn } from './read.ts'

/** Milli units in one of each suffix, for the forms that most amounts have. */
const milliOfSuffix: ReadonlyMap<string, number> = new Map([
  ['m', 1],
  ['', 1000],
  ['k', 1e6],
  ['M', 1e9],
  ['G', 1e12],
  ['Ki', 1024 * 1000],
  ['Mi', 1024 ** 2 * 1000],
  ['Gi', 1024 ** 3 * 1000],
])

const digitsShort = 6

/** Exact milli units of a short whole amount; undefined = ask the grammar. */
function shortMilli(text: string): number | undefined {
  let digits = 0
  while (digits < text.length && isDigit(text.charCodeAt(digits))) digits++
  if (digits === 0 || digits > digitsShort) return undefined
  const unit = milliOfSuffix.get(digits === text.length ? '' : text.slice(digits))
  return unit === undefined ? undefined : Number(text.slice(0, digits)) * unit
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Negative, zero or positive, like a − b. Texts that are no quantities count as zero. */
export function compareAmounts(a: string, b: string): number {
  if (a === b) return 0
  const [shortA, shortB] = [shortMilli(a), shortMilli(b)]
  if (shortA !== undefined && shortB !== undefined) return shortA - shortB
  const [left, right] = [nanosOf(a), nanosOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

export function nanosOf(text: string): bigint {
  return parseQuantity(text)?.nanos ?? 0n
}

export function isNegative(text: string): boolean {
  return text.startsWith('-') && nanosOf(text) < 0n
}

export function isWhole(text: string): boolean {
  const short = shortMilli(text)
  return short === undefined ? nanosOf(text) % 1_000_000_000n === 0n : short % 1000 === 0
}

export const notNegativeText = 'must be greater than or equal to 0'

/** A quantity field that may not be below zero. */
export function checkAmount(causes: Causes, path: string, object: Given, name: string): void {
  const text = textIn(object, name)
  if (text !== '' && isNegative(text)) causes.push(invalidValue(fieldOf(path, name), text, notNegativeText))
}

/** What a resource's name means: `cpu`, `hugepages-2Mi`, `example.com/gpu`. */
export interface ResourceNames {
  /** Counted, never shared out: everything that others have named. */
  isExtended(name: string): boolean
}

export function createResourceNames(labelDomain: string): ResourceNames {
  const own = `${labelDomain}/`
  return {
    isExtended: (name) => name.includes('/') && !name.includes(own) && !name.startsWith('requests.'),
  }
}

const hugePagesPrefix = 'hugepages-'
export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix)

const ofContainers = new Set(['cpu', 'memory', 'ephemeral-storage'])
const ofQuotas = new Set([
  ...ofContainers,
  'storage',
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
])
const ofPrefix = new Set([...ofContainers, 'storage'])
const counted = new Set([...ofQuotas].filter((name) => !ofPrefix.has(name)))

/** What a container may ask for. */
export function containerResourceProblem(name: string): string | undefined {
  if (ofContainers.has(name) || isHugePages(name)) return undefined
  return (
    resourceNameProblem(name) ??
    (name.includes('/') ? undefined : 'must be a standard resource for containers')
  )
}

/** What a quota or a range may bound. */
export function resourceNameProblem(name: string): string | undefined {
  if (isStandard(name)) return undefined
  return (
    qualifiedNameProblem(name) ??
    (name.includes('/') ? undefined : 'must be a standard resource type or fully qualified')
  )
}

function isStandard(name: string): boolean {
  const base = name.replace(/^(requests|limits)\./, '')
  return ofQuotas.has(name) || (base !== name && ofPrefix.has(base)) || isHugePages(base)
}

/** Things that come whole: pods, services, extended resources. */
export function isCounted(name: string, { isExtended }: ResourceNames): boolean {
  return counted.has(name) || isExtended(name)
}

/** Amounts of resources: what they may be, and which is more. Source: Kubernetes API conventions, "Units". */

import { parseQuantity } from '../../schema/quantity.ts'
import { invalidValue } from '../../status/causes.ts'
import { type Causes, fieldOf } from './checks.ts'
import { type Problems, qualifiedNameProblems } from './names.ts'
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
  /** Of the server's own domain: `kubernetes.io/batch-cpu`. */
  isOwn(name: string): boolean
  /** Counted, never shared out: everything that others have named. */
  isExtended(name: string): boolean
}

export function createResourceNames(labelDomain: string): ResourceNames {
  const own = `${labelDomain}/`
  return {
    isOwn: (name) => name.includes(own),
    isExtended: (name) => name.includes('/') && !name.includes(own) && !name.startsWith('requests.'),
  }
}

const hugePagesPrefix = 'hugepages-'
export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix)

const ofContainers: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const withBounds = [...ofContainers].flatMap((name) => [`requests.${name}`, `limits.${name}`])
const objects = [
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]
const standard: ReadonlySet<string> = new Set([
  ...ofContainers,
  ...withBounds,
  ...objects,
  'storage',
  'requests.storage',
])
const ofQuotas: ReadonlySet<string> = new Set([...standard].filter((name) => name !== 'storage'))
const counted: ReadonlySet<string> = new Set(objects)

const hasDomain = (name: string): boolean => name.includes('/')
const isHugePagesRequest = (name: string): boolean => name.startsWith(`requests.${hugePagesPrefix}`)

/** The name of a resource of any use: one of the server's, or one of somebody's domain. */
export function resourceNameProblems(name: string): Problems {
  const problems = qualifiedNameProblems(name)
  if (problems.length > 0 || hasDomain(name)) return problems
  if (standard.has(name) || isHugePages(name) || isHugePagesRequest(name)) return problems
  return ['must be a standard resource type or fully qualified']
}

/** What a container may ask for. */
export function containerResourceProblems(name: string, { isExtended, isOwn }: ResourceNames): Problems {
  const problems = resourceNameProblems(name)
  if (!hasDomain(name)) {
    if (ofContainers.has(name) || isHugePages(name)) return problems
    return [...problems, 'must be a standard resource for containers']
  }
  if (isOwn(name) || (isExtended(name) && qualifiedNameProblems(`requests.${name}`).length === 0))
    return problems
  return [...problems, "doesn't follow extended resource name standard"]
}

/** What a quota may bound. */
export function quotaResourceProblems(name: string): Problems {
  const problems = resourceNameProblems(name)
  if (hasDomain(name) || ofQuotas.has(name) || isHugePages(name) || isHugePagesRequest(name)) return problems
  return [...problems, 'must be a standard resource for quota']
}

/** Things that come whole: pods, services, extended resources. */
export function isCounted(name: string, { isExtended }: ResourceNames): boolean {
  return counted.has(name) || isExtended(name)
}

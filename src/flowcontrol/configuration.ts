/**
 * What the stored flow schemas and priority levels say, as this process uses it. The two that everything rests on,
 * `exempt` and `catch-all`, are always there and always the same, whatever is stored.
 *
 * Source: Kubernetes documentation, "API Priority and Fairness".
 */

import type { JsonObject } from '../json.ts'
import { numberIn, objectIn, textIn } from '../types/validation/read.ts'
import { type Matcher, matcherOf } from './rules.ts'
import type { SeatLimits } from './seats.ts'

export interface Queuing {
  readonly queues: number
  readonly handSize: number
  /** Requests that may wait in each queue. */
  readonly lengthMax: number
}

export interface LevelConfiguration {
  readonly name: string
  readonly uid: string
  readonly seats: SeatLimits
  /** Undefined = nobody waits: without a seat a request is refused. */
  readonly queuing: Queuing | undefined
}

export interface SchemaConfiguration {
  readonly name: string
  readonly uid: string
  readonly level: string
  readonly precedence: number
  /** What tells the flows of this schema apart; undefined = they are one. */
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined
  readonly matches: Matcher
}

export interface Configuration {
  readonly levels: readonly LevelConfiguration[]
  /** In the order in which they are tried. Those whose level does not exist are left out. */
  readonly schemas: readonly SchemaConfiguration[]
}

/** What configurations are made of. */
export interface FlowObjects {
  readonly schemas: readonly FlowObject[]
  readonly levels: readonly FlowObject[]
}

export interface FlowObject {
  readonly name: string
  /** '' where it is not stored. */
  readonly uid: string
  readonly spec: JsonObject
}

export const catchAllName = 'catch-all'
export const mandatoryNames: ReadonlySet<string> = new Set(['exempt', catchAllName])

/**
 * @param given the stored objects
 * @param defaults those of a new cluster; they hold `exempt` and `catch-all`
 * @param seats of this process, shared out among the levels
 */
export function configurationOf(given: FlowObjects, defaults: FlowObjects, seats: number): Configuration {
  const levels = withMandatory(given.levels, defaults.levels)
  const known = new Set(levels.map(({ name }) => name))
  const schemas = withMandatory(given.schemas, defaults.schemas)
    .map(schemaOf)
    .filter(({ level }) => known.has(level))
    .sort(byPrecedence)
  return { levels: levelsOf(levels, seats), schemas }
}

function withMandatory(given: readonly FlowObject[], defaults: readonly FlowObject[]): readonly FlowObject[] {
  const byName = new Map(given.map((object) => [object.name, object]))
  for (const wanted of defaults) {
    if (!mandatoryNames.has(wanted.name)) continue
    const stored = byName.get(wanted.name)
    const exempt = objectIn(stored?.spec, 'exempt')
    // How many seats the exempt level has to lend is the administrator's business.
    const spec =
      exempt === undefined || objectIn(wanted.spec, 'exempt') === undefined
        ? wanted.spec
        : { ...wanted.spec, exempt }
    byName.set(wanted.name, { name: wanted.name, uid: stored?.uid ?? '', spec })
  }
  return [...byName.values()]
}

function schemaOf({ name, uid, spec }: FlowObject): SchemaConfiguration {
  const distinguisher = textIn(objectIn(spec, 'distinguisherMethod'), 'type')
  return {
    name,
    uid,
    level: textIn(objectIn(spec, 'priorityLevelConfiguration'), 'name'),
    precedence: numberIn(spec, 'matchingPrecedence') ?? defaultPrecedence,
    distinguisher: distinguisher === 'ByUser' || distinguisher === 'ByNamespace' ? distinguisher : undefined,
    matches: matcherOf(spec),
  }
}

function byPrecedence(a: SchemaConfiguration, b: SchemaConfiguration): number {
  return a.precedence - b.precedence || (a.name < b.name ? -1 : 1)
}

const defaultPrecedence = 1000
const defaultShares = 30
const defaultQueuing: Queuing = { queues: 64, handSize: 8, lengthMax: 50 }

function levelsOf(levels: readonly FlowObject[], seats: number): readonly LevelConfiguration[] {
  const shares = levels.map(({ spec }) => sharesOf(spec))
  const sum = shares.reduce((total, share) => total + share, 0)
  return levels.map(({ name, uid, spec }, at) => {
    const nominal = Math.ceil((seats * (shares[at] ?? 0)) / Math.max(sum, 1))
    return { name, uid, seats: seatLimits(spec, nominal), queuing: queuingOf(spec) }
  })
}

function isExempt(spec: JsonObject): boolean {
  return textIn(spec, 'type') === 'Exempt'
}

function sharesOf(spec: JsonObject): number {
  const part = objectIn(spec, isExempt(spec) ? 'exempt' : 'limited')
  return numberIn(part, 'nominalConcurrencyShares') ?? (isExempt(spec) ? 0 : defaultShares)
}

function seatLimits(spec: JsonObject, nominal: number): SeatLimits {
  const exempt = isExempt(spec)
  const part = objectIn(spec, exempt ? 'exempt' : 'limited')
  const percentOf = (name: string): number | undefined => {
    const percent = numberIn(part, name)
    return percent === undefined ? undefined : Math.round((nominal * percent) / 100)
  }
  return {
    nominal,
    lendable: percentOf('lendablePercent') ?? 0,
    borrowable: percentOf('borrowingLimitPercent') ?? Number.POSITIVE_INFINITY,
    exempt,
  }
}

function queuingOf(spec: JsonObject): Queuing | undefined {
  const response = objectIn(objectIn(spec, 'limited'), 'limitResponse')
  if (textIn(response, 'type') !== 'Queue') return undefined
  const queuing = objectIn(response, 'queuing')
  return {
    queues: numberIn(queuing, 'queues') ?? defaultQueuing.queues,
    handSize: numberIn(queuing, 'handSize') ?? defaultQueuing.handSize,
    lengthMax: numberIn(queuing, 'queueLengthLimit') ?? defaultQueuing.lengthMax,
  }
}

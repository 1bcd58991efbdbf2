/**
 * What services hold: addresses within the cluster, ports of its nodes. The plan of one service, from what its writer
 * asks for.
 */

import { fail, ok } from '../../../store/contract.ts'
import { formatAddress } from '../../ip.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { internalError, invalid } from '../../status/failures.ts'
import type { Claim } from '../../storage/claims.ts'
import type { Range } from '../../types/validation/ip.ts'
import { itemsIn, numberIn, specOf } from '../../types/validation/read.ts'
import type { Allocation, IsAvoided } from '../allocator.ts'
import {
  addressesOf,
  canonicalAddress,
  isHeadless,
  isInside,
  planFamilies,
  rangeCause,
} from './address-plan.ts'
import {
  fieldOfPort,
  needsHealthPort,
  needsNodePorts,
  nodePortsOf,
  numberedPorts,
  portCauses,
} from './port-plan.ts'
import { addressSpan, type PortRange, pick, portSpan, type Span } from './ranges.ts'

export interface ServiceRanges {
  /** One, or one of each family; the first is the family of services that do not say. */
  readonly addresses: readonly Range[]
  readonly nodePorts: PortRange
}

const addressSpace = 'service-addresses'
const portSpace = 'service-node-ports'
const kind = { group: '', kind: 'Service' }

/** `fraction`: 0 ≤ x < 1. */
export function createServiceAllocation(ranges: ServiceRanges, fraction: () => number): Allocation {
  return {
    spaces: [addressSpace, portSpace],
    held: (service) => [...addressClaims(specOf(service)), ...portClaims(specOf(service))],
    plan(service, old, isAvoided) {
      const picking = createPicking(ranges, isAvoided, fraction)
      const before = old === undefined ? {} : specOf(old)
      const { changes, causes } = planAddresses(specOf(service), before, ranges, picking)
      const ports = planPorts({ ...specOf(service), ...changes }, before, ranges, picking)
      const all = [...causes, ...ports.causes]
      if (all.length > 0) return fail(invalid(kind, service.metadata.name ?? '', all))
      if (picking.exhausted !== undefined) return fail(internalError(picking.exhausted))
      const spec = { ...specOf(service), ...changes, ...ports.changes }
      return ok({ object: { ...service, spec }, picked: picking.picked })
    },
    refusal(service, claim) {
      const spec = specOf(service)
      const cause =
        claim.space === addressSpace
          ? invalidValue(
              'spec.clusterIPs',
              addressesOf(spec),
              `failed to allocate IP ${claim.name}: provided IP is already allocated`,
            )
          : invalidValue(
              fieldOfPort(spec, Number(claim.name)),
              Number(claim.name),
              'provided port is already allocated',
            )
      return invalid(kind, service.metadata.name ?? '', [cause])
    },
  }
}

function addressClaims(spec: JsonObject): readonly Claim[] {
  if (!isInside(spec) || isHeadless(spec)) return []
  return addressesOf(spec).map((address) => ({ space: addressSpace, name: canonicalAddress(address) }))
}

function portClaims(spec: JsonObject): readonly Claim[] {
  return nodePortsOf(spec).map((port) => ({ space: portSpace, name: String(port) }))
}

interface Planned {
  /** Members of the spec. */
  readonly changes: Readonly<Record<string, JsonValue>>
  readonly causes: ReturnType<typeof portCauses>
}

const nothing: Planned = { changes: {}, causes: [] }

function planAddresses(
  spec: JsonObject,
  before: JsonObject,
  { addresses: ranges }: ServiceRanges,
  picking: Picking,
): Planned {
  if (!isInside(spec)) return nothing
  const { plan, causes } = planFamilies(
    spec,
    ranges.map(({ family }) => family),
  )
  const { families, policy } = plan
  const kept = { ipFamilies: [...families], ipFamilyPolicy: policy }
  if (isHeadless(spec)) return { changes: { ...kept, clusterIP: 'None', clusterIPs: ['None'] }, causes }
  const given = addressesOf(spec)
  const held = new Set(addressesOf(before))
  const outside = given
    .filter((address) => !held.has(address))
    .map((address) => rangeCause(address, given, ranges))
    .filter((cause) => cause !== undefined)
  const all = [...causes, ...outside]
  if (all.length > 0) return { changes: {}, causes: all }
  const wanted = ranges.filter(({ family }) => families.includes(family))
  const clusterIPs = families
    .filter((family) => wanted.some((range) => range.family === family))
    .map((family, i) => given[i] ?? picking.address(ranges.find((range) => range.family === family)) ?? '')
  return { changes: { ...kept, clusterIP: clusterIPs[0] ?? '', clusterIPs }, causes: [] }
}

function planPorts(
  spec: JsonObject,
  before: JsonObject,
  { nodePorts }: ServiceRanges,
  picking: Picking,
): Planned {
  const causes = portCauses(spec, new Set(nodePortsOf(before)), nodePorts)
  if (causes.length > 0) return { changes: {}, causes }
  const asked = new Set(nodePortsOf(spec))
  const pickPort = () => picking.port(asked)
  const changes: Record<string, JsonValue> = {}
  if (needsNodePorts(spec)) {
    const numbered = numberedPorts(itemsIn(spec, 'ports'), pickPort)
    if (numbered !== undefined) changes['ports'] = [...numbered]
  }
  if (needsHealthPort(spec) && (numberIn(spec, 'healthCheckNodePort') ?? 0) === 0) {
    const port = pickPort()
    if (port !== undefined) changes['healthCheckNodePort'] = port
  }
  return { changes, causes: [] }
}

type Picking = ReturnType<typeof createPicking>

/** Draws for one plan; nothing is drawn twice. */
function createPicking(ranges: ServiceRanges, isAvoided: IsAvoided, fraction: () => number) {
  const picked: Claim[] = []
  let exhausted: string | undefined

  function draw(
    space: string,
    span: Span,
    nameOf: (value: bigint) => string,
    isAsked: (value: bigint) => boolean = () => false,
  ): bigint | undefined {
    const isOut = (value: bigint): boolean => {
      const name = nameOf(value)
      return (
        isAsked(value) ||
        isAvoided({ space, name }) ||
        picked.some((one) => one.space === space && one.name === name)
      )
    }
    const value = pick(span, isOut, fraction)
    if (value !== undefined) picked.push({ space, name: nameOf(value) })
    return value
  }

  return {
    picked,
    /** What there was none left of, for the client. */
    get exhausted() {
      return exhausted
    },
    address(range: Range | undefined): string | undefined {
      if (range === undefined) return undefined
      const textOf = (value: bigint): string => formatAddress({ family: range.family, value })
      const value = draw(addressSpace, addressSpan(range), textOf)
      if (value === undefined) exhausted = 'failed to allocate a serviceIP: range is full'
      return value === undefined ? undefined : textOf(value)
    },
    /** `asked`: by the same service, of which no port may be doubled. */
    port(asked: ReadonlySet<number>): number | undefined {
      const value = draw(portSpace, portSpan(ranges.nodePorts), String, (one) => asked.has(Number(one)))
      if (value === undefined) exhausted = 'failed to allocate a nodePort: range is full'
      return value === undefined ? undefined : Number(value)
    },
  }
}

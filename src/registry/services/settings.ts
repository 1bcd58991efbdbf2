/** The ranges of services, as operators write them. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { parseRange, type Range } from '../../types/validation/ip.ts'
import type { PortRange } from './ranges.ts'
import type { ServiceRanges } from './service-allocation.ts'

/** Larger ranges are refused: nobody has so many services, and a mistake would take a whole network. */
const prefixBitsMin = { IPv4: 12, IPv6: 64 }
/** There is room for the server's own service and for one more. */
const prefixBitsMax = { IPv4: 29, IPv6: 125 }

/** One range, or one of each family. The failure completes a sentence: "--service-cluster-ip-range: …". */
export function parseAddressRanges(text: string): Result<readonly Range[], string> {
  const ranges: Range[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    const range = parseRange(item)
    if (range === undefined) return fail(`must be CIDR such as 10.96.0.0/12, found ${JSON.stringify(item)}`)
    const [min, max] = [prefixBitsMin[range.family], prefixBitsMax[range.family]]
    if (range.prefixBits < min || range.prefixBits > max)
      return fail(`an ${range.family} range must have /${min} to /${max}, found ${item}`)
    if (ranges.some(({ family }) => family === range.family))
      return fail(`names more than one ${range.family} range`)
    ranges.push(range)
  }
  return ok(ranges)
}

/** `first-last`, both inclusive, or `first+count`. */
export function parsePortRange(text: string): Result<PortRange, string> {
  const [, from, sign, to] = /^(\d{1,5})([-+])(\d{1,5})$/.exec(text) ?? []
  const first = Number(from)
  const last = sign === '+' ? first + Number(to) : Number(to)
  if (from === undefined || first < 1 || last > 65_535 || last < first)
    return fail(`must be ports such as 30000-32767, found ${JSON.stringify(text)}`)
  return ok({ first, last })
}

export const defaultAddressRange = '10.96.0.0/12'
export const defaultPortRange = '30000-32767'

/** What `serve` uses when nobody says anything. */
export function defaultServiceRanges(): ServiceRanges {
  const [addresses, nodePorts] = [parseAddressRanges(defaultAddressRange), parsePortRange(defaultPortRange)]
  if (!addresses.ok || !nodePorts.ok) throw new TypeError('the defaults are ranges')
  return { addresses: addresses.value, nodePorts: nodePorts.value }
}

/** What single functions cost at most for operands of given sizes, and how large their results are. */

import type { Overload } from '../library/library.ts'
import type { Expr } from '../syntax/ast.ts'
import type { Estimate } from './estimate-places.ts'
import {
  anySize,
  one,
  plus,
  type Size,
  scaled,
  sizesPlus,
  sizesTimes,
  times,
  traversal,
} from './estimate-sizes.ts'

export interface CallEstimate {
  /** Beside the operands'. */
  readonly cost: number
  /** Of the result; undefined = nothing is said of it. */
  readonly size?: Size
}

interface EstimatedCall {
  readonly overload: Overload
  /** The receiver first. */
  readonly operands: readonly Expr[]
  readonly given: readonly Estimate[]
  readonly sizes: readonly Size[]
  elementOf(list: Estimate): Size
}

export function estimateOverload(call: EstimatedCall): CallEstimate {
  const [a = anySize, b = anySize, c = anySize] = call.sizes
  switch (call.overload.name) {
    case '_==_':
    case '_!=_':
      return { cost: comparison(a, b) }
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return { cost: takesText(call) ? comparison(a, b) : 1 }
    case '_+_':
      return addition(call, sizesPlus(a, b))
    case '@in':
      return { cost: kindOf(call, 1) === 'list' ? b.max : 1 }
    case 'startsWith':
    case 'endsWith':
      return { cost: traversal(b) }
    case 'contains':
      return { cost: times(traversal(a), traversal(b)) }
    case 'matches':
      return { cost: call.overload.member ? search(a, b) : 1 }
    case 'find':
    case 'findAll':
      return { cost: search(a, b), size: { min: 0, max: a.max } }
    case 'sets.contains':
    case 'sets.intersects':
      return { cost: plus(times(a.max, b.max), 1) }
    case 'sets.equivalent':
      return { cost: plus(times(times(a.max, b.max), 2), 1) }
    case 'isSorted':
    case 'sum':
    case 'min':
    case 'max':
    case 'indexOf':
    case 'lastIndexOf':
      return { cost: eachElement(call, a) }
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return { cost: traversal(a), size: a }
    case 'replace':
      return { cost: traversal(a, 2), size: replacedSize(a, b, c) }
    case 'split':
      return { cost: traversal(a, 2), size: { min: 0, max: pieces(call, a) } }
    case 'join':
      return join(call, a, b)
    case 'bytes':
      return kindOf(call, 0) === 'string'
        ? { cost: traversal(a), size: { min: a.min, max: times(a.max, 4) } }
        : { cost: 1 }
    case 'string':
      return kindOf(call, 0) === 'bytes'
        ? { cost: traversal(a), size: { min: Math.floor(a.min / 4), max: a.max } }
        : { cost: 1 }
    case 'strings.quote':
      return { cost: traversal(a), size: { min: a.min + 2, max: plus(times(a.max, 2), 2) } }
    default:
      return { cost: otherCost(call, a, b) }
  }
}

function otherCost({ overload, ...call }: EstimatedCall, a: Size, b: Size): number {
  switch (overload.name) {
    case 'format':
    case 'url':
    case 'quantity':
    case 'isQuantity':
    case 'isIP':
    case 'isCIDR':
    case 'cidr':
      return traversal(a)
    case 'ip':
      return overload.member ? 1 : traversal(a)
    case 'ip.isCanonical':
      return traversal(a, 2)
    case 'containsIP':
      return plus(prefixComparison, parsed({ overload, ...call }, b))
    case 'containsCIDR':
      return plus(prefixComparison + masking, parsed({ overload, ...call }, b))
    default:
      return 1
  }
}

/** Two addresses of 16 bytes are passed over. */
const prefixComparison = 4
/** One more is, and the lengths of the prefixes are compared. */
const masking = 3

function parsed(call: EstimatedCall, text: Size): number {
  return kindOf(call, 1) === 'string' ? traversal(text) : 0
}

function kindOf({ overload }: EstimatedCall, at: number): string | undefined {
  return overload.args[at]?.kind
}

function takesText(call: EstimatedCall): boolean {
  const kind = kindOf(call, 0)
  return kind === 'string' || kind === 'bytes'
}

function comparison(a: Size, b: Size): number {
  return scaled(Math.min(a.max, b.max), 0.1)
}

function addition(call: EstimatedCall, size: Size): CallEstimate {
  if (kindOf(call, 0) === 'list') return { cost: 1, size }
  return takesText(call) ? { cost: traversal(size), size } : { cost: 1 }
}

/** A pattern has about one state for each four characters, and each is tried at each character of the text. */
function search(text: Size, pattern: Size): number {
  return times(traversal(sizesPlus(text, one)), scaled(pattern.max, 0.25))
}

function eachElement(call: EstimatedCall, size: Size): number {
  const [list] = call.given
  if (list?.type?.kind !== 'list') return traversal(size)
  const { kind } = list.type.element
  const element = kind === 'string' || kind === 'bytes' ? traversal(call.elementOf(list)) : 0
  return times(size.max, plus(element, 1))
}

/** Where the part may be empty, its substitute stands around every character. */
function replacedSize(text: Size, part: Size, by: Size): Size {
  return sizesPlus(sizesTimes({ min: fewest(text, part, by), max: most(text, part, by) }, by), {
    min: part.max === 0 || part.max <= by.min ? text.min : 0,
    max: part.min === 0 || by.max <= part.min ? text.max : 0,
  })
}

function most(text: Size, part: Size, by: Size): number {
  if (part.min === 0) return plus(text.max, 1)
  return by.max <= part.min ? 0 : Math.ceil(text.max / part.min)
}

function fewest(text: Size, part: Size, by: Size): number {
  if (part.max === 0) return plus(text.min, 1)
  return part.max <= by.min ? 0 : Math.ceil(text.min / part.max)
}

/** At most one for each character, or as many as are asked for. */
function pieces({ operands: [, , limit] }: EstimatedCall, text: Size): number {
  if (limit?.kind !== 'literal' || typeof limit.value !== 'number') return text.max
  return limit.value < 0 ? anySize.max : limit.value
}

function join(call: EstimatedCall, count: Size, separator: Size): CallEstimate {
  const [list] = call.given
  const texts = list === undefined ? anySize : sizesTimes(count, call.elementOf(list))
  const gaps = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
  const size = call.given.length > 1 ? sizesPlus(texts, sizesTimes(separator, gaps)) : texts
  return { cost: traversal(size), size }
}

/** The worst case of single functions: what the libraries charge at most for operands of given sizes. */

import type { Expr } from '../syntax/ast.ts'
import type { CelType } from '../types.ts'
import { sizeOf } from '../values/compare.ts'
import { listShape, type Shape, scalar, shapeOf, sized, unknownShape, wider } from './shape.ts'

interface EstimatedCall {
  readonly name: string
  /** Of the operands, the receiver first. */
  readonly shapes: readonly Shape[]
  readonly operands: readonly Expr[]
  /** Type of the first operand. */
  readonly receiver: CelType | undefined
  readonly result: CelType | undefined
  /** Whether the function charges more than 1. */
  readonly charges: boolean
}

/** Longest text of a number, a time or an address. */
const shortTextMax = 64
/** Longest text that `format` makes of one nested value. */
const nestedTextMax = 1_000_000

function traversals(size: number, times = 1): number {
  return Math.ceil(size * 0.1 * times)
}

function isText(type: CelType | undefined): boolean {
  return type?.kind === 'string' || type?.kind === 'bytes'
}

function sizesOf({ shapes }: EstimatedCall): readonly [number, number, number] {
  const [a = scalar, b = scalar, c = scalar] = shapes
  return [a.size, b.size, c.size]
}

/** At least 1: as much is charged where no overload fits. */
export function callCost(call: EstimatedCall): number {
  return Math.max(1, ownCost(call))
}

function ownCost(call: EstimatedCall): number {
  const [a, b] = sizesOf(call)
  switch (call.name) {
    case '_==_':
    case '_!=_':
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return traversals(Math.min(a, b))
    case '_+_':
      return traversals(a + b)
    case '@in':
      return b
    case 'startsWith':
    case 'endsWith':
      return traversals(b)
    case 'contains':
      return traversals(a) * traversals(b)
    case 'sets.contains':
    case 'sets.intersects':
      return 1 + a * b
    case 'sets.equivalent':
      return 1 + 2 * a * b
    case 'matches':
    case 'find':
    case 'findAll':
      return traversals(1 + a) * Math.ceil(b * 0.25)
    case 'replace':
      return Math.max(traversals(a, 2), traversals(replacedSize(call)))
    case 'split':
    case 'ip.isCanonical':
      return traversals(a, 2)
    case 'join':
      return traversals(joinedSize(call), 2)
    case 'format':
      return traversals(formattedSize(call))
    case 'isSorted':
    case 'sum':
    case 'min':
    case 'max':
    case 'indexOf':
    case 'lastIndexOf':
      return isText(call.receiver) ? traversals(a) : a * elementCost(call)
    case 'containsIP':
    case 'containsCIDR':
      return 4 + traversals(b)
    default:
      return call.charges ? Math.max(10, traversals(a)) : 1
  }
}

function elementCost({ shapes, receiver }: EstimatedCall): number {
  const known = receiver?.kind === 'list' && !isText(receiver.element) && receiver.element.kind !== 'dyn'
  return known ? 1 : Math.max(1, traversals((shapes[0] ?? unknownShape).element().size))
}

/** Where the part may be empty, its substitute stands around every character. */
function replacedSize(call: EstimatedCall): number {
  const [text, , by] = sizesOf(call)
  const part = call.operands[1]
  const width = part?.kind === 'literal' ? Math.max(1, sizeOf(part.value)) : 1
  return text + (Math.ceil(text / width) + 1) * by
}

function joinedSize(call: EstimatedCall): number {
  const [count, separator] = sizesOf(call)
  return count * ((call.shapes[0] ?? unknownShape).element().size + (call.shapes.length > 1 ? separator : 0))
}

function formattedSize(call: EstimatedCall): number {
  const [template, count] = sizesOf(call)
  const element = (call.shapes[1] ?? unknownShape).element().size
  return template + count * Math.max(element, nestedTextMax)
}

export function resultShape(call: EstimatedCall): Shape {
  const [a = scalar, b = scalar] = call.shapes
  switch (call.name) {
    case '_+_':
      return { ...wider(a, b), size: a.size + b.size }
    case '_[_]':
    case '_[?_]':
      return a.element()
    case 'or':
    case 'orValue':
      return wider(a, b)
    case 'min':
    case 'max':
    case 'sum':
      return {
        ...a.element(),
        size: call.result?.kind === 'string' ? a.element().size : a.size * a.element().size,
      }
    case 'lowerAscii':
    case 'upperAscii':
    case 'trim':
    case 'substring':
    case 'find':
    case 'dyn':
    case 'value':
    case 'optional.of':
    case 'optional.ofNonZeroValue':
    case 'url':
      return a
    case 'split':
    case 'findAll':
      return listShape(a.size + 1, () => sized(a.size))
    case 'charAt':
      return scalar
    case 'replace':
      return sized(replacedSize(call))
    case 'join':
      return sized(joinedSize(call))
    case 'format':
      return sized(formattedSize(call))
    case 'strings.quote':
      return sized(2 * a.size + 2)
    case 'bytes':
      return sized(4 * a.size)
    case 'string':
      return sized(Math.max(a.size, shortTextMax))
    default:
      return otherShape(call, a)
  }
}

/** Parts of a URL: an escaped path triples its characters. */
function otherShape({ name, result }: EstimatedCall, receiver: Shape): Shape {
  if (name === 'getQuery') {
    const texts = listShape(receiver.size, () => sized(receiver.size))
    return { size: receiver.size, element: () => texts, key: () => sized(receiver.size) }
  }
  if (name.startsWith('get') && result?.kind === 'string') return sized(9 * receiver.size)
  return shapeOf(result)
}

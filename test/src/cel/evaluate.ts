/** Shared by the tests of expressions: one expression in, one line out. */

import {
  type CelOutput,
  type CelType,
  cel,
  compileExpression,
  type Environment,
  perCallCostMax,
} from '../../../src/cel/expression.ts'

/** `1` int or uint, `1.0` double, texts in quotes, `b00ff` bytes, times and types as their texts. */
function describeOutput(output: CelOutput): string {
  if (typeof output === 'bigint') return String(output)
  if (typeof output === 'number') return Number.isInteger(output) ? output.toFixed(1) : String(output)
  if (typeof output === 'string') return JSON.stringify(output)
  if (typeof output === 'boolean' || output === null) return String(output)
  if (output instanceof Uint8Array) return `b${Buffer.from(output).toString('hex')}`
  if (output instanceof Map) {
    return `{${[...output].map(([key, value]) => `${describeOutput(key)}: ${describeOutput(value)}`).join(', ')}}`
  }
  if (Array.isArray(output)) return `[${output.map(describeOutput).join(', ')}]`
  if (!('text' in output)) return '?'
  return output.value === undefined ? output.text : `optional.of(${describeOutput(output.value)})`
}

interface World {
  readonly types?: Readonly<Record<string, CelType>>
  readonly values?: Readonly<Record<string, unknown>>
  readonly costMax?: number
}

export function environmentOf(world: World): Environment {
  return { variables: new Map(Object.entries(world.types ?? {})) }
}

/** The value's description, `error: …` when evaluation failed, `refused: …` when the expression does not compile. */
export function outcome(source: string, world: World = {}): string {
  const compiled = compileExpression(source, environmentOf(world), cel.dyn)
  if (!compiled.ok) return `refused: ${compiled.failure.message}`
  const result = compiled.value.evaluate(world.values ?? {}, { costMax: world.costMax ?? perCallCostMax })
  return result.ok ? describeOutput(result.value) : `error: ${result.failure.message}`
}

/** Cost units of an evaluation, however it ended. */
export function costOf(source: string, world: World = {}): number {
  const compiled = compileExpression(source, environmentOf(world), cel.dyn)
  if (!compiled.ok) throw new Error(compiled.failure.message)
  return compiled.value.measure(world.values ?? {}, { costMax: world.costMax ?? perCallCostMax }).cost
}

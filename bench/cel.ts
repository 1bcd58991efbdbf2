/**
 * What expressions cost: compiling one, evaluating one. Beside each, in µs, what was measured of the JavaScript
 * libraries and of a prototype when the engine was chosen (docs/decisions.md).
 *
 *     node dist/bench/cel.js
 */

import { cel, compileExpression, type Environment, perCallCostMax } from '../src/cel/expression.ts'

const item = cel.object('Item', { name: cel.string, port: cel.int })
const self = cel.object('Self', {
  minReplicas: cel.int,
  replicas: cel.int,
  maxReplicas: cel.int,
  items: cel.list(item),
  name: cel.maybe(cel.string),
})
const environment: Environment = {
  variables: new Map([
    ['self', self],
    ['oldSelf', self],
    ['claims', cel.map(cel.string, cel.dyn)],
  ]),
}

const object = {
  minReplicas: 1,
  replicas: 3,
  maxReplicas: 9,
  items: Array.from({ length: 20 }, (_, at) => ({ name: `item-${at}`, port: 8000 + at })),
  name: 'one',
}
const variables = {
  self: object,
  oldSelf: object,
  claims: { hd: 'example.com', groups: ['dev', 'ops'], exp: 1_700_003_600, nbf: 1_700_000_000 },
}

interface Case {
  readonly name: string
  readonly source: string
  readonly before: string
}

const cases: readonly Case[] = [
  {
    name: 'two comparisons',
    source: 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
    before: 'bufbuild 0.69, marcbachmann 0.22, cel-js 2.5, prototype 0.044',
  },
  {
    name: 'a regex over 20 items',
    source: "self.items.all(i, i.name.matches('^[a-z]+-[0-9]+$'))",
    before: 'bufbuild 143, marcbachmann 10.5, prototype 13.1',
  },
  {
    name: 'has and oldSelf',
    source: 'has(self.name) && self.name == oldSelf.name',
    before: 'bufbuild 0.50, marcbachmann 0.32, cel-js 3.7, prototype 0.073',
  },
  { name: 'a claim', source: "claims.hd == 'example.com'", before: '' },
  { name: 'validity', source: 'claims.exp - claims.nbf <= 86400', before: '' },
  { name: 'groups', source: "claims.groups.map(g, 'oidc:' + g)", before: '' },
]

/** The best of several batches: the others met the neighbours on the machine. */
function microsecondsOf(rounds: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 12; batch++) {
    const start = process.hrtime.bigint()
    for (let round = 0; round < rounds; round++) run()
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / rounds)
  }
  return best
}

const limits = { costMax: perCallCostMax }
for (const { name, source, before } of cases) {
  const compiled = compileExpression(source, environment, cel.dyn)
  if (!compiled.ok) throw new Error(compiled.failure.message)
  const program = compiled.value
  const compile = microsecondsOf(500, () => compileExpression(source, environment, cel.dyn))
  const evaluate = microsecondsOf(20_000, () => program.evaluate(variables, limits))
  const figures = `evaluate ${evaluate.toFixed(3)} µs, compile ${compile.toFixed(1)} µs`
  process.stdout.write(`${name}: ${figures}${before === '' ? '' : ` (${before})`}\n`)
}

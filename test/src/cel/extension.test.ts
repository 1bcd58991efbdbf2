/** What later users build on: own libraries over opaque values, names of properties, what an expression reads. */

import t from 'tap'
import { cel, compileExpression } from '../../../src/cel/expression.ts'
import { kubernetesLibraries } from '../../../src/cel/library/kubernetes.ts'
import { define, type Library } from '../../../src/cel/library/library.ts'
import type { OpaqueValue } from '../../../src/cel/types.ts'
import { CelOpaque, noSuchOverload } from '../../../src/cel/values/value.ts'

const authorizerType = cel.opaque('kubernetes.authorization.Authorizer')

class Authorizer implements OpaqueValue {
  readonly celType = authorizerType
  readonly allowed: ReadonlySet<string>
  constructor(allowed: ReadonlySet<string>) {
    this.allowed = allowed
  }
}

const library: Library = {
  name: 'authorizer',
  types: [authorizerType],
  overloads: [
    define(
      `<${authorizerType.name}>.allows(string): bool`,
      (authorizer, verb) =>
        authorizer instanceof CelOpaque && authorizer.host instanceof Authorizer && typeof verb === 'string'
          ? authorizer.host.allowed.has(verb)
          : noSuchOverload,
      () => 350_000,
    ),
  ],
}

const environment = {
  variables: new Map([['authorizer', authorizerType]]),
  libraries: [...kubernetesLibraries, library],
}

t.test('an own library over an opaque value', (t) => {
  const compiled = compileExpression("authorizer.allows('get') && size('ab') == 2", environment, cel.bool)
  if (!compiled.ok) throw new Error(compiled.failure.message)
  const authorizer = new Authorizer(new Set(['get']))
  const { result, cost } = compiled.value.measure({ authorizer }, { costMax: 1_000_000 })
  t.same(result, { ok: true, value: true })
  t.equal(cost, 1 + 350_000 + 2)
  t.match(compiled.value.evaluate({ authorizer: { allowed: [] } }, { costMax: 1_000_000 }), { ok: false })
  t.match(compiled.value.evaluate({ authorizer }, { costMax: 300_000 }), {
    failure: { code: 'CostExceeded' },
  })
  t.match(compileExpression('authorizer.allowed', environment, cel.bool), {
    failure: { message: /type 'kubernetes.authorization.Authorizer' does not support field selection/ },
  })
  t.match(compileExpression("'x'.allows('get')", environment, cel.bool), { ok: false })
  t.end()
})

t.test('what an expression reads', (t) => {
  const claims = { variables: new Map([['claims', cel.map(cel.string, cel.dyn)]]) }
  const sources = [
    ['claims.email', true],
    ["claims['email']", true],
    ["claims.?email.orValue('')", true],
    ["claims[?'email'].hasValue()", true],
    ['has(claims.email)', true],
    ["['a'].exists(x, x == claims.email)", true],
    ['claims.email_verified', false],
    ["'claims.email'", false],
    ['claims.other.email', false],
  ] as const
  for (const [source, reads] of sources) {
    const compiled = compileExpression(source, claims, cel.dyn)
    t.equal(compiled.ok && compiled.value.reads('claims', 'email'), reads, source)
  }
  t.end()
})

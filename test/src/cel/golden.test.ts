/**
 * The expressions of cel-go's own checker and parser tests (of the conformance data): the same are accepted, with the
 * same type, and the checker's findings have the same text.
 */

import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js'
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js'
import t from 'tap'
import { cel, compileExpression } from '../../../src/cel/expression.ts'
import { parse } from '../../../src/cel/syntax/parser.ts'
import { describeType } from '../../../src/cel/types.ts'

const variables = new Map<string, ReturnType<typeof cel.list>>([
  ['is', cel.string],
  ['ii', cel.int],
  ['iu', cel.uint],
  ['iz', cel.bool],
  ['ib', cel.bytes],
  ['id', cel.double],
  ['ix', cel.null],
])

/** Tests of cel-go without what Kubernetes turns on: optional syntax, comparisons across numeric types. */
const otherOptions = /\[\?|\.\?|\{\?|Msg\{|1 (<|<=|>|>=) 1\.0/

t.test('checked as cel-go does', (t) => {
  let compared = 0
  for (const { original, type, error } of checking.tests ?? []) {
    const source = original.expr
    if (otherOptions.test(source) || /TestAllTypes|google\.protobuf/.test(source)) continue
    const compiled = compileExpression(source, { variables, homogeneousLiterals: false }, cel.dyn)
    // names that their environment declares and this one does not
    const undeclared = !compiled.ok && compiled.failure.message.includes("undeclared reference to '")
    if (undeclared && (!(error ?? '').includes('undeclared') || source.includes('x.repeated'))) continue
    compared++
    const found = compiled.ok ? describeType(compiled.value.type) : compiled.failure.message
    t.equal(found, (type ?? error ?? '').trimEnd(), source.slice(0, 80))
  }
  t.ok(compared >= 55, `${compared} compared`)
  t.end()
})

/** The limits of those tests are lower ones. */
const otherLimits = /recursion (limit|depth) exceeded|lookahead limit|overwrites accumulator/

t.test('parsed as cel-go does', (t) => {
  let compared = 0
  for (const { original, ast, error } of parsing.tests ?? []) {
    const source = original.expr
    if (otherOptions.test(source) || source.includes('`') || otherLimits.test(error ?? '')) continue
    compared++
    t.equal(parse(source).ok, ast !== undefined, source.slice(0, 80))
  }
  t.ok(compared >= 140, `${compared} compared`)
  t.end()
})

/** The authorizer library: what a chain of calls asks, what the answer shows, and what it costs. */

import t from 'tap'
import { cel, compileExpression, perCallCostMax } from '../../../src/cel/expression.ts'
import {
  type AccessAnswer,
  type AccessChecker,
  type AccessQuestion,
  AuthorizerValue,
  authorizerLibrary,
  authorizerType,
  ResourceCheckValue,
  resourceCheckType,
} from '../../../src/cel/library/extensions/authorizer.ts'
import { kubernetesLibraries } from '../../../src/cel/library/kubernetes.ts'
import type { CelType } from '../../../src/cel/types.ts'

const environment = {
  variables: new Map<string, CelType>([
    ['authorizer', authorizerType],
    ['authorizer.requestResource', resourceCheckType],
  ]),
  libraries: [...kubernetesLibraries, authorizerLibrary],
}

const yes: AccessAnswer = { allowed: true, reason: 'because', error: '' }

/** Remembers what was asked, as whom. */
function evaluate(expression: string, answer = yes) {
  const asked: (AccessQuestion & { readonly as: string })[] = []
  const checkerFor = (as: string): AccessChecker => ({
    check(question) {
      asked.push({ ...question, as })
      return answer
    },
    forServiceAccount: (namespace, name) =>
      name === '' ? 'Invalid service account name' : checkerFor(`${namespace}/${name}`),
  })
  const checker = checkerFor('user')
  const program = compileExpression(expression, environment, cel.dyn)
  if (!program.ok) throw new Error(program.failure.message)
  const parts = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'ns', name: 'd' }
  const variables = {
    authorizer: new AuthorizerValue(checker),
    'authorizer.requestResource': new ResourceCheckValue(checker, parts),
  }
  const { result, cost } = program.value.measure(variables, { costMax: perCallCostMax })
  return { asked, cost, result: result.ok ? result.value : result.failure.message }
}

const nothing = { subresource: '', namespace: '', name: '' }

const questions: readonly (readonly [string, object])[] = [
  [
    "authorizer.group('apps').resource('deployments').check('list')",
    { type: 'resource', group: 'apps', resource: 'deployments', ...nothing, verb: 'list', as: 'user' },
  ],
  [
    "authorizer.group('').resource('pods').subresource('log').namespace('ns').name('p').check('get')",
    {
      type: 'resource',
      group: '',
      resource: 'pods',
      subresource: 'log',
      namespace: 'ns',
      name: 'p',
      verb: 'get',
      as: 'user',
    },
  ],
  ["authorizer.path('/healthz').check('get')", { type: 'path', path: '/healthz', verb: 'get', as: 'user' }],
  [
    "authorizer.serviceAccount('a', 'b').path('/x').check('post')",
    { type: 'path', path: '/x', verb: 'post', as: 'a/b' },
  ],
  [
    "authorizer.requestResource.check('delete')",
    {
      type: 'resource',
      group: 'apps',
      resource: 'deployments',
      subresource: '',
      namespace: 'ns',
      name: 'd',
      verb: 'delete',
      as: 'user',
    },
  ],
]

for (const [expression, question] of questions) {
  t.test(expression, (t) => {
    const { asked, cost, result } = evaluate(`${expression}.allowed()`)
    t.same(asked, [question])
    t.equal(result, true)
    t.ok(cost >= 350_000 && cost < 350_100, `${cost} units`)
    t.end()
  })
}

const shown: readonly (readonly [string, AccessAnswer, unknown])[] = [
  ['reason()', yes, 'because'],
  ['errored()', yes, false],
  ['error()', { allowed: false, reason: '', error: 'nobody knows' }, 'nobody knows'],
  ['errored()', { allowed: false, reason: '', error: 'nobody knows' }, true],
  ['allowed()', { allowed: false, reason: 'no', error: '' }, false],
]

t.test('what an answer shows', (t) => {
  for (const [call, answer, expected] of shown)
    t.equal(evaluate(`authorizer.path('/x').check('get').${call}`, answer).result, expected, call)
  t.end()
})

const mistakes: readonly (readonly [string, string])[] = [
  ["authorizer.path('').check('get').allowed()", 'path must not be empty'],
  ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
  ["authorizer.serviceAccount('a', '').path('/x').check('get').allowed()", 'Invalid service account name'],
]

t.test('what cannot be asked', (t) => {
  for (const [expression, message] of mistakes) {
    const { asked, result } = evaluate(expression)
    t.equal(result, message)
    t.same(asked, [])
  }
  t.end()
})

t.test('an answer that is not there yet fails, where the outcome rests on it', (t) => {
  const open = "authorizer.path('/x').check('get').allowed()"
  t.equal(evaluateOpen(open), 'access is still being decided')
  t.equal(evaluateOpen(`${open} || true`), true)
  t.end()
})

function evaluateOpen(expression: string): unknown {
  const checker: AccessChecker = { check: () => undefined, forServiceAccount: () => checker }
  const program = compileExpression(expression, environment, cel.bool)
  if (!program.ok) throw new Error(program.failure.message)
  const { result } = program.value.measure(
    { authorizer: new AuthorizerValue(checker) },
    { costMax: perCallCostMax },
  )
  return result.ok ? result.value : result.failure.message
}

t.test('a third question is too much for one evaluation', (t) => {
  const ask = "authorizer.path('/x').check('get').allowed()"
  t.equal(evaluate([ask, ask].join(' && ')).result, true)
  t.match(evaluate([ask, ask, ask].join(' && ')).result, 'cost limit exceeded')
  t.end()
})

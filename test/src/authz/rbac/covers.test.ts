/** Source: specification, "Access-control resources", escalation prevention. */

import t from 'tap'
import { compactRules, describeRule, missingRules } from '../../../../src/authz/rbac/covers.ts'
import type { PolicyRule } from '../../../../src/authz/rbac/rule.ts'

/** `get,list core,apps pods,pods/log [names]`, or `get /path,/other`. */
function rule(text: string): PolicyRule {
  const [verbs = '', groups = '', resources = '', names = ''] = text.split(' ')
  const list = (words: string) => (words === '' ? [] : words.split(','))
  const isPath = groups.startsWith('/') || (groups === '*' && resources === '')
  return {
    verbs: list(verbs),
    apiGroups: isPath ? [] : list(groups).map((group) => (group === 'core' ? '' : group)),
    resources: list(resources),
    resourceNames: list(names),
    nonResourceURLs: isPath ? list(groups) : [],
  }
}

t.test('what is missing', async (t) => {
  for (const [held, wanted, missing] of [
    [['get core pods'], 'get core pods', []],
    [['get,list core pods'], 'get core pods', []],
    [['get core pods', 'list core pods'], 'get,list core pods', []],
    [['get core pods'], 'get,list core pods', ['list core pods']],
    [['get core pods'], 'get core,apps pods', ['get apps pods']],
    [['get core pods'], '* core pods', ['* core pods']],
    [['* core pods'], 'get core pods', []],
    [['get * *'], 'get apps deployments/scale', []],
    [['get core pods'], 'get core pods/log', ['get core pods/log']],
    [['get core */log'], 'get core pods/log', []],
    [['get core */log'], 'get core pods', ['get core pods']],
    [['get core pods'], 'get core pods web', []],
    [['get core pods web'], 'get core pods', ['get core pods']],
    [['get core pods web'], 'get core pods web,db', ['get core pods db']],
    [['get /metrics'], 'get /metrics', []],
    [['get /metrics/*'], 'get /metrics/slis', []],
    [['get /metrics/*'], 'get /metrics', ['get /metrics']],
    [['get /metrics'], 'get /metrics/*', ['get /metrics/*']],
    [['* * *'], 'get /metrics', ['get /metrics']],
    [
      [],
      'get,list core pods,secrets',
      ['get core pods', 'list core pods', 'get core secrets', 'list core secrets'],
    ],
  ] as const) {
    t.same(
      missingRules(held.map(rule), [rule(wanted)]),
      missing.map(rule),
      `${held.join('; ')} for ${wanted}`,
    )
  }
})

t.test('how it is told', (t) => {
  const missing = missingRules(
    [],
    [rule('get,list core pods'), rule('get apps deployments web'), rule('get /x')],
  )
  t.same(compactRules(missing).map(describeRule), [
    '{NonResourceURLs:["/x"], Verbs:["get"]}',
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}',
  ])
  t.end()
})

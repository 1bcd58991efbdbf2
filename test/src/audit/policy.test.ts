/** Audit policies: which rule a request falls under, and what files are refused. */

import t from 'tap'
import { type AuditPolicy, createPolicyEvaluator } from '../../../src/audit/policy.ts'
import { parseAuditPolicy } from '../../../src/audit/policy-file.ts'
import type { RequestAttributes } from '../../../src/authz/authorizer.ts'
import { createNames } from '../../../src/names/names.ts'

const names = createNames('kubernetes')

function policy(text: string): AuditPolicy {
  const parsed = parseAuditPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${text}`, names)
  if (!parsed.ok) throw new Error(parsed.failure)
  return parsed.value
}

const jane = { name: 'jane', uid: '', groups: ['devs', 'system:authenticated'], extra: new Map() }

/** `get pods/log web in default`, `list apps/deployments`, `get /healthz`. */
function asked(line: string): RequestAttributes {
  const [verb = '', what = '', ...rest] = line.split(' ')
  if (what.startsWith('/')) return { type: 'nonResource', verb, path: what }
  const at = rest.indexOf('in')
  const namespace = at < 0 ? '' : (rest[at + 1] ?? '')
  const name = at === 0 ? '' : (rest[0] ?? '')
  const [group = '', path = ''] = what.includes(':') ? what.split(':') : ['', what]
  const [resource = '', subresource = ''] = path.split('/')
  return { type: 'resource', verb, group, version: 'v1', namespace, resource, subresource, name }
}

t.test('the first rule that matches says the level', (t) => {
  for (const [rule, yes, no] of [
    ['{}', ['get pods in a', 'get /healthz'], []],
    ['{users: [jane]}', ['get pods in a'], []],
    ['{users: [joe]}', [], ['get pods in a']],
    ['{userGroups: [ops, devs]}', ['get pods in a'], []],
    ['{userGroups: [ops]}', [], ['get pods in a']],
    ['{verbs: [get, list]}', ['get pods in a', 'get /healthz'], ['watch pods in a']],
    ['{namespaces: [a]}', ['get pods x in a'], ['get pods x in b', 'get nodes x', 'get /healthz']],
    ['{namespaces: [""]}', ['get nodes x', 'list pods'], ['get pods x in b', 'get /healthz']],
    [
      '{resources: [{}]}',
      ['get pods in a', 'get pods/log x in a'],
      ['get apps:deployments in a', 'get /api'],
    ],
    [
      '{resources: [{group: apps}]}',
      ['list apps:deployments', 'get apps:deployments/scale x in a'],
      ['list pods'],
    ],
    ['{resources: [{resources: [pods]}]}', ['get pods x in a'], ['get pods/log x in a', 'get apps:pods x']],
    [
      '{resources: [{resources: [pods/log]}]}',
      ['get pods/log x in a'],
      ['get pods x in a', 'get pods/exec x'],
    ],
    [
      '{resources: [{resources: ["pods/*"]}]}',
      ['get pods/log x in a', 'get pods x in a'],
      ['get nodes/log x'],
    ],
    ['{resources: [{resources: ["*/scale"]}]}', ['get pods/scale x'], ['get pods x', 'get pods/log x']],
    ['{resources: [{resources: ["*"]}]}', ['get pods x', 'get pods/log x'], ['get apps:deployments x']],
    [
      '{resources: [{resources: [configmaps], resourceNames: [leader]}]}',
      ['update configmaps leader in a'],
      ['update configmaps other in a', 'list configmaps in a'],
    ],
    ['{resources: [{resources: [pods]}, {group: apps}]}', ['get pods x', 'get apps:x y'], ['get secrets x']],
    [
      '{nonResourceURLs: ["/healthz*", /version]}',
      ['get /healthz/ping', 'get /version'],
      ['get /versions', 'list pods'],
    ],
    ['{nonResourceURLs: ["*"]}', ['get /anything'], ['list pods']],
  ] as const) {
    const evaluate = createPolicyEvaluator(policy(`rules: [${rule.replace(/^\{/, '{level: Metadata, ')}]`))
    for (const line of yes) t.equal(evaluate(asked(line), jane).level, 'Metadata', `${rule}: ${line}`)
    for (const line of no) t.equal(evaluate(asked(line), jane).level, 'None', `${rule}: not ${line}`)
  }
  t.end()
})

t.test('order counts, nobody is no user, and what is left out adds up', (t) => {
  const evaluate = createPolicyEvaluator(
    policy(`
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: None, verbs: [watch]}
- {level: Request, userGroups: [devs], omitStages: [Panic], omitManagedFields: false}
- {level: Metadata}
`),
  )
  t.equal(evaluate(asked('watch pods'), jane).level, 'None')
  t.same(evaluate(asked('get pods'), jane), {
    level: 'Request',
    omitStages: new Set(['RequestReceived', 'Panic']),
    omitManagedFields: false,
  })
  t.same(evaluate(asked('get pods'), undefined), {
    level: 'Metadata',
    omitStages: new Set(['RequestReceived']),
    omitManagedFields: true,
  })
  t.end()
})

t.test('what is wrong with a file is told by its place', (t) => {
  const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'
  for (const [text, message] of [
    ['', 'is empty'],
    [
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy',
      /apiVersion is "audit.k8s.io\/v1beta1", expected audit.k8s.io\/v1/,
    ],
    ['apiVersion: audit.k8s.io/v1\nkind: Policies', /kind is "Policies", expected "Policy"/],
    [head, 'loaded illegal policy with 0 rules'],
    [`${head}rules: [{level: Metadata, user: [a]}]`, 'strict decoding error: unknown field "rules[0].user"'],
    [`${head}rules: [{level: Metadata, users: a}]`, /rules\[0\].users: expected list, found string/],
    [`${head}rules: [{users: [a]}]`, 'rules[0].level: Required value'],
    [
      `${head}rules: [{level: Meta}]`,
      'rules[0].level: Unsupported value: "Meta": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      `${head}rules: [{level: None, omitStages: [Never]}]`,
      'rules[0].omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      `${head}rules: [{level: None, nonResourceURLs: [healthz, "/a*b"]}]`,
      `rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      `${head}rules: [{level: None, nonResourceURLs: [/a], namespaces: [a]}]`,
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      `${head}rules: [{level: None}, {level: None, resources: [{resourceNames: [a]}]}]`,
      'rules[1].resources[0].resourceNames: Invalid value: []string{"a"}: using resourceNames requires at least one resource',
    ],
    [
      `${head}rules: [{level: None, resources: [{group: rbac.authorization.k8s.io/v1}]}]`,
      /^rules\[0\]\.resources\[0\]\.group: Invalid value: "rbac\.authorization\.k8s\.io\/v1"/,
    ],
  ] as const) {
    const parsed = parseAuditPolicy(text, names)
    t.match(parsed, { ok: false, failure: message }, text)
  }
  t.match(
    parseAuditPolicy(
      'apiVersion: audit.cluster.io/v1\nkind: Policy\nrules: [{level: None}]',
      createNames('cluster'),
    ),
    { ok: true },
    'in the other dialect',
  )
  t.end()
})

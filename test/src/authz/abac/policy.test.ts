/** Source: specification, "Authorization" 9. */

import t from 'tap'
import { createAbacAuthorizer } from '../../../../src/authz/abac/authorizer.ts'
import { parseAbacPolicies } from '../../../../src/authz/abac/policy.ts'
import { createNames } from '../../../../src/names/names.ts'
import { attributes, userOf } from '../attributes.ts'

const names = createNames('cluster')
const apiVersion = 'abac.authorization.cluster.io/v1beta1'

function line(spec: object): string {
  return JSON.stringify({ apiVersion, kind: 'Policy', spec })
}

t.test('what a line allows', async (t) => {
  const joe = userOf('joe', 'team', 'system:authenticated')
  const nobody = userOf('system:anonymous', 'system:unauthenticated')
  for (const [spec, user, request, allowed] of [
    [
      { user: 'joe', namespace: '*', resource: '*', apiGroup: '*' },
      joe,
      'delete apps deployments x in a',
      true,
    ],
    [
      { user: 'eve', namespace: '*', resource: '*', apiGroup: '*' },
      joe,
      'delete apps deployments x in a',
      false,
    ],
    [{ group: 'team', namespace: 'a', resource: 'pods' }, joe, 'get core pods x in a', true],
    [{ group: 'team', namespace: 'a', resource: 'pods' }, joe, 'get core pods x in b', false],
    [{ group: 'team', namespace: 'a', resource: 'pods' }, joe, 'get apps pods x in a', false],
    [{ group: 'team', namespace: 'a', resource: 'pods', readonly: true }, joe, 'get core pods x in a', true],
    [
      { group: 'team', namespace: 'a', resource: 'pods', readonly: true },
      joe,
      'update core pods x in a',
      false,
    ],
    [{ user: 'joe', group: 'other', namespace: '*', resource: '*' }, joe, 'get core pods x in a', false],
    [{ namespace: '*', resource: '*', apiGroup: '*' }, joe, 'get core pods x in a', false],
    [{ user: '*', namespace: '*', resource: '*' }, joe, 'get core pods x in a', true],
    [{ user: '*', namespace: '*', resource: '*' }, nobody, 'get core pods x in a', false],
    [{ group: 'system:unauthenticated', nonResourcePath: '*', readonly: true }, nobody, 'get /version', true],
    [
      { group: 'system:unauthenticated', nonResourcePath: '*', readonly: true },
      nobody,
      'post /version',
      false,
    ],
    [{ user: 'joe', nonResourcePath: '/foo/*' }, joe, 'get /foo/bar', true],
    [{ user: 'joe', nonResourcePath: '/foo/*' }, joe, 'get /foo', false],
    [{ user: 'joe', nonResourcePath: '*' }, joe, 'get core nodes x', false],
    [{ user: 'joe', resource: '*', namespace: '*' }, joe, 'get /version', false],
  ] as const) {
    const policies = parseAbacPolicies(line(spec), names)
    if (!policies.ok) throw new Error(policies.failure)
    const decision = await createAbacAuthorizer(policies.value).authorize({
      user,
      request: attributes(request),
    })
    t.equal(decision.decision === 'allow', allowed, `${JSON.stringify(spec)}: ${user.name} ${request}`)
    t.equal(decision.reason, allowed ? '' : 'No policy matched.')
  }
})

t.test('what is wrong with a file is said with its line', async (t) => {
  for (const [text, failure] of [
    ['# nothing\n\n', undefined],
    [`${line({ user: 'a' })}\n${line({ group: 'b' })}\n`, undefined],
    ['# one\n{', /^2: is not JSON/],
    ['[]', /^1: is not a JSON object/],
    ['{"kind":"Policy"}', /^1: apiVersion is undefined, expected "abac/],
    [`{"apiVersion":"${apiVersion}","kind":"Rule"}`, /kind is "Rule", expected "Policy"/],
    [`{"apiVersion":"${apiVersion}","kind":"Policy"}`, /has no spec/],
    [line({ user: 1 }), /spec.user is not a string/],
    [line({ readonly: 'yes' }), /spec.readonly is not a boolean/],
    [line({ verbs: 'get' }), /unknown field "verbs"/],
  ] as const) {
    const parsed = parseAbacPolicies(text, names)
    if (failure === undefined) t.ok(parsed.ok, text)
    else t.match(parsed.ok ? '' : parsed.failure, failure, text)
  }
})

/** Expressions of the authentication configuration: what they make of claims, and what their failures do. */

import t from 'tap'
import { userOf } from '../../../../src/authn/oidc/mapping.ts'
import { parseAuthenticationConfig } from '../../../../src/config/authentication-config.ts'
import type { JsonObject } from '../../../../src/json.ts'
import { createNames } from '../../../../src/names/names.ts'

const context = { names: createNames('kubernetes'), disallowedIssuers: [] }
const username = { expression: 'claims.sub' }

function parse(change: JsonObject) {
  const jwt = {
    issuer: { url: 'https://issuer.example', audiences: ['me'] },
    claimMappings: { username },
    ...change,
  }
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [jwt],
  }
  return parseAuthenticationConfig(JSON.stringify(file), context)
}

function user(change: JsonObject, claims: JsonObject) {
  const parsed = parse(change)
  if (!parsed.ok) throw new Error(parsed.failure)
  const [settings] = parsed.value
  if (settings === undefined) throw new Error('no settings')
  const made = userOf(claims, settings)
  if (!made.ok) return made.failure
  const { name, uid, groups, extra } = made.value
  return { name, uid, groups, extra: Object.fromEntries(extra) }
}

const claims: JsonObject = {
  sub: 'jane',
  email: 'jane@example.com',
  email_verified: true,
  hd: 'example.com',
  roles: ['dev', 'ops', ''],
  role: 'dev',
  level: 3,
  exp: 1_700_003_600,
  nbf: 1_700_000_000,
  nothing: null,
  nested: { team: { name: 'blue' } },
  'dotted.name': 'x',
}

t.test('mappings', (t) => {
  const table: readonly (readonly [JsonObject, object])[] = [
    [{ username: { expression: '"o:" + claims.sub' } }, { name: 'o:jane' }],
    [
      { username: { expression: 'claims.email_verified ? claims.email : claims.sub' } },
      { name: 'jane@example.com' },
    ],
    [
      {
        username: { expression: 'claims.email.split("@")[0]' },
        extra: [{ key: 'e.example/v', valueExpression: 'string(claims.email_verified)' }],
      },
      { name: 'jane', extra: { 'e.example/v': ['true'] } },
    ],
    [{ username, groups: { expression: 'claims.roles' } }, { groups: ['dev', 'ops'] }],
    [
      { username, groups: { expression: 'claims.roles.map(r, "o:" + r)' } },
      { groups: ['o:dev', 'o:ops', 'o:'] },
    ],
    [{ username, groups: { expression: 'claims.role' } }, { groups: ['dev'] }],
    [{ username, groups: { expression: '""' } }, { groups: [] }],
    [{ username, groups: { expression: 'claims.nothing' } }, { groups: [] }],
    [{ username, groups: { expression: 'has(claims.absent) ? claims.absent : []' } }, { groups: [] }],
    [{ username, groups: { expression: 'claims.?absent.orValue([])' } }, { groups: [] }],
    [{ username, groups: { expression: 'claims.level > 2 ? ["admins"] : []' } }, { groups: ['admins'] }],
    [{ username, uid: { expression: 'claims.nested.team.name' } }, { uid: 'blue' }],
    [{ username, uid: { claim: 'sub' } }, { uid: 'jane' }],
    [
      {
        username,
        extra: [
          { key: 'example.org/roles', valueExpression: 'claims.roles' },
          { key: 'example.org/none', valueExpression: '[]' },
        ],
      },
      { extra: { 'example.org/roles': ['dev', 'ops'] } },
    ],
    [{ username: { expression: 'claims["dotted.name"]' } }, { name: 'x' }],
  ]
  for (const [claimMappings, expected] of table)
    t.match(user({ claimMappings }, claims), expected, JSON.stringify(claimMappings))
  t.same(
    Object.keys(
      Object(
        user(
          { claimMappings: { username, extra: [{ key: 'example.org/none', valueExpression: '[]' }] } },
          claims,
        ),
      ).extra,
    ),
    [],
  )
  t.end()
})

t.test('mappings that fail', (t) => {
  const table: readonly (readonly [JsonObject, RegExp])[] = [
    [
      { username: { expression: 'claims.absent' } },
      /username claim expression: claims.absent: .*no such key: absent/,
    ],
    [{ username: { expression: 'claims.level' } }, /must return a string/],
    [{ username: { expression: '""' } }, /empty username/],
    [
      { username, groups: { expression: 'claims.level' } },
      /group claim expression: expression must return a string or a list of strings/,
    ],
    [{ username, groups: { expression: '[1, 2]' } }, /string or a list of strings/],
    [{ username, groups: { expression: 'claims.nested' } }, /string or a list of strings/],
    [{ username, uid: { expression: 'claims.level' } }, /uid/],
    [
      { username, extra: [{ key: 'example.org/a', valueExpression: 'claims.level' }] },
      /extra claim expression/,
    ],
    [{ username: { expression: 'claims.sub[0]' } }, /error evaluating username claim expression/],
  ]
  for (const [claimMappings, reason] of table)
    t.match(user({ claimMappings }, claims), reason, JSON.stringify(claimMappings))
  t.end()
})

t.test('rules', (t) => {
  const claimRule = (expression: string, message = ''): JsonObject => ({
    claimValidationRules: [{ expression, message }],
  })
  const userRule = (expression: string, message = ''): JsonObject => ({
    claimMappings: { username, groups: { expression: 'claims.roles' } },
    userValidationRules: [{ expression, message }],
  })
  const table: readonly (readonly [JsonObject, RegExp | 'passes'])[] = [
    [claimRule('claims.hd == "example.com"'), 'passes'],
    [claimRule('claims.exp - claims.nbf <= 3600'), 'passes'],
    [
      claimRule('claims.exp - claims.nbf <= 3599', 'too long'),
      /validation expression 'claims.exp - claims.nbf <= 3599' failed: too long/,
    ],
    [
      claimRule('claims.hd == "evil.example"', 'only our own'),
      /claim validation expression: validation expression .* failed: only our own/,
    ],
    [claimRule('claims.absent == "x"'), /no such key: absent/],
    [claimRule('claims.email.matches("^[a-z]+@example[.]com$")'), 'passes'],
    [
      {
        claimValidationRules: [
          { claim: 'hd', requiredValue: 'example.com' },
          { expression: 'claims.level == 3' },
        ],
      },
      'passes',
    ],
    [
      { claimValidationRules: [{ claim: 'hd', requiredValue: 'other' }, { expression: 'true' }] },
      /required claim hd value does not match/,
    ],
    [{ claimValidationRules: [{ claim: 'level', requiredValue: '3' }] }, /parse claim level/],
    [{ claimValidationRules: [{ claim: 'absent', requiredValue: '' }] }, /required claim absent not present/],
    [userRule('!user.username.startsWith("system:")'), 'passes'],
    [userRule('user.groups.all(g, !g.startsWith("system:"))'), 'passes'],
    [
      userRule('user.username == "root"', 'root only'),
      /user validation expression: validation expression .* failed: root only/,
    ],
    [userRule('"dev" in user.groups && user.uid == "" && !("x" in user.extra)'), 'passes'],
  ]
  for (const [change, expected] of table) {
    const made = user(change, claims)
    if (expected === 'passes') t.match(made, { name: 'jane' }, JSON.stringify(change))
    else t.match(made, expected, JSON.stringify(change))
  }
  t.end()
})

t.test('an attacker’s claims cannot make an expression run on', (t) => {
  const nest = 'claims.roles.all(a, claims.roles.all(b, claims.roles.all(c, a + b + c != "x")))'
  const many = { ...claims, roles: Array.from({ length: 1000 }, (_, at) => `group-${at}`) }
  const before = performance.now()
  t.match(user({ claimValidationRules: [{ expression: nest }] }, many), /cost|budget/i)
  t.ok(performance.now() - before < 5000)
  t.end()
})

t.test('groups reserved for the system, from expressions, are the operator’s own word', (t) => {
  const claimMappings = { username, groups: { expression: 'claims.roles' } }
  const masters = { ...claims, roles: ['system:masters'] }
  t.match(user({ claimMappings }, masters), { groups: ['system:masters'] })
  const userValidationRules = [
    { expression: 'user.groups.all(g, !g.startsWith("system:"))', message: 'reserved' },
  ]
  t.match(user({ claimMappings, userValidationRules }, masters), /reserved/)
  t.end()
})

t.test('complaints', (t) => {
  const verified = /username.expression: Invalid value: "claims.email": claims.email_verified must be used in/
  const email = { expression: 'claims.email' }
  const table: readonly (readonly [JsonObject, RegExp | 'fine'])[] = [
    [
      { claimMappings: { username: { expression: 'claims.' } } },
      /^jwt\[0\].claimMappings.username.expression: Invalid value: "claims.": compilation failed: ERROR: <input>:1:/,
    ],
    [
      { claimMappings: { username: { expression: 'claim.sub' } } },
      /compilation failed: .*undeclared reference to 'claim'/,
    ],
    [{ claimMappings: { username: { expression: 'user.username' } } }, /undeclared reference to 'user'/],
    [
      { claimMappings: { username, groups: { expression: 'claims.g', prefix: 'x' } } },
      /groups.prefix: Invalid value: "x": prefix can't be set when expression is set/,
    ],
    [
      { claimValidationRules: [{ expression: '"x"' }] },
      /claimValidationRules\[0\].expression: Invalid value: "\\"x\\"": must evaluate to bool/,
    ],
    [{ claimValidationRules: [{ expression: 'claims.x' }] }, /must evaluate to bool/],
    [
      { claimValidationRules: [{ expression: 'true', requiredValue: 'x' }] },
      /requiredValue: Invalid value: "x": requiredValue can't be set when expression is set/,
    ],
    [
      { claimValidationRules: [{ expression: 'true' }, { expression: 'true' }] },
      /claimValidationRules\[1\].expression: Duplicate value: "true"/,
    ],
    [
      { userValidationRules: [{ expression: 'user.name == ""' }] },
      /userValidationRules\[0\].expression: Invalid value: .*undefined field 'name'/,
    ],
    [{ userValidationRules: [{ expression: 'claims.sub == ""' }] }, /undeclared reference to 'claims'/],
    [
      { userValidationRules: [{ expression: 'true' }, { expression: 'true' }] },
      /userValidationRules\[1\].expression: Duplicate value: "true"/,
    ],
    [{ claimMappings: { username: email } }, verified],
    [
      { claimMappings: { username: { expression: 'claims.?email.orValue("x")' } } },
      /email_verified must be used/,
    ],
    [
      { claimMappings: { username: { expression: '"claims.email_verified" + claims.email' } } },
      /email_verified must be used/,
    ],
    [{ claimMappings: { username: { expression: 'claims.email_address' } } }, 'fine'],
    [
      {
        claimMappings: { username: email },
        claimValidationRules: [{ expression: 'claims.email_verified == true' }],
      },
      'fine',
    ],
    [
      { claimMappings: { username: { expression: 'claims.email_verified ? claims.email : claims.sub' } } },
      'fine',
    ],
    [
      {
        claimMappings: {
          username: email,
          extra: [{ key: 'a.b/c', valueExpression: 'string(claims.email_verified)' }],
        },
      },
      'fine',
    ],
  ]
  for (const [change, expected] of table) {
    const parsed = parse(change)
    if (expected === 'fine') t.ok(parsed.ok, JSON.stringify(change))
    else t.match(parsed.ok ? '' : parsed.failure.replaceAll('\n', ' '), expected, JSON.stringify(change))
  }
  t.end()
})

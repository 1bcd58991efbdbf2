/** AuthenticationConfiguration files: what is taken, and every complaint with the path of its field. */

import t from 'tap'
import { formatYaml } from '../../../src/codec/yaml.ts'
import { parseAuthenticationConfig } from '../../../src/config/authentication-config.ts'
import type { JsonObject, JsonValue } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { createTestAuthority } from '../../support/tls-service.ts'

const context = { names: createNames('kubernetes'), disallowedIssuers: ['https://accounts.example'] }
const { ca } = await createTestAuthority()

const issuer: JsonObject = { url: 'https://issuer.example', audiences: ['me'] }
const username: JsonObject = { claim: 'sub', prefix: '' }

function config(...jwt: JsonValue[]): JsonObject {
  return { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt }
}

function jwt(change: JsonObject): JsonObject {
  return { issuer, claimMappings: { username }, ...change }
}

function complaint(value: JsonValue): string {
  const parsed = parseAuthenticationConfig(typeof value === 'string' ? value : formatYaml(value), context)
  return parsed.ok ? '' : parsed.failure
}

t.test('issuers without expressions', (t) => {
  const text = formatYaml(
    config(
      jwt({}),
      jwt({
        issuer: {
          url: 'https://other.example/path/',
          discoveryURL: 'https://inside.example/.well-known/openid-configuration',
          certificateAuthority: ca.certificate,
          audiences: ['a', 'b'],
          audienceMatchPolicy: 'MatchAny',
        },
        claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }, { claim: 'empty' }],
        claimMappings: {
          username: { claim: 'email', prefix: 'o:' },
          groups: { claim: 'roles', prefix: 'o:' },
          uid: { claim: 'sub' },
        },
      }),
    ),
  )
  const parsed = parseAuthenticationConfig(text, context)
  t.match(parsed, {
    ok: true,
    value: [
      {
        issuer: 'https://issuer.example',
        discoveryUrl: undefined,
        certificateAuthority: undefined,
        audiences: ['me'],
        username: { type: 'claim', claim: 'sub', prefix: '' },
        groups: undefined,
        uid: undefined,
        requiredClaims: [],
      },
      {
        issuer: 'https://other.example/path/',
        discoveryUrl: 'https://inside.example/.well-known/openid-configuration',
        certificateAuthority: ca.certificate,
        audiences: ['a', 'b'],
        username: { type: 'claim', claim: 'email', prefix: 'o:' },
        groups: { type: 'claim', claim: 'roles', prefix: 'o:' },
        uid: { type: 'claim', claim: 'sub', prefix: '' },
        requiredClaims: [
          { claim: 'hd', value: 'example.com' },
          { claim: 'empty', value: '' },
        ],
      },
    ],
  })
  t.notOk(
    parsed.ok && parsed.value.some(({ algorithms }) => algorithms.some((name) => name.startsWith('HS'))),
  )
  t.equal(complaint(config()), '', 'no issuers: tokens of none count')
  t.equal(complaint({ ...config(jwt({})), apiVersion: 'apiserver.config.k8s.io/v1alpha1' }), '')
  t.end()
})

t.test('complaints', (t) => {
  const at = (change: JsonObject): JsonObject => config(jwt({ issuer: { ...issuer, ...change } }))
  const mapped = (claimMappings: JsonObject): JsonObject =>
    config(jwt({ claimMappings: { username, ...claimMappings } }))
  const rules = (...claimValidationRules: JsonObject[]): JsonObject => config(jwt({ claimValidationRules }))
  const table: readonly (readonly [JsonValue, RegExp])[] = [
    ['', /^is empty$/],
    ['jwt: [', /line 1/],
    [{ ...config(), apiVersion: 'v1' }, /^apiVersion is "v1", expected apiserver.config.k8s.io\/v1beta1 or /],
    [{ ...config(), kind: 'Config' }, /^kind is "Config", expected "AuthenticationConfiguration"$/],
    [{ ...config(), jwts: [] }, /^strict decoding error: unknown field "jwts"$/],
    [at({ clientID: 'x' }), /unknown field "jwt\[0\].issuer.clientID"/],
    [config(jwt({ issuer: 'https://issuer.example' })), /jwt\[0\].issuer: expected object, found string/],
    [at({ audiences: 'me' }), /jwt\[0\].issuer.audiences: expected list, found string/],
    [at({ audiences: [1] }), /jwt\[0\].issuer.audiences\[0\]: expected string, found number/],
    [config(...Array.from({ length: 65 }, () => jwt({}))), /^jwt: Too many: 65: must have at most 64 items$/],
    [config(jwt({}), jwt({})), /^jwt\[1\].issuer.url: Duplicate value: "https:\/\/issuer.example"$/],
    [
      config(
        { ...jwt({}), issuer: { ...issuer, discoveryURL: 'https://d' } },
        { ...jwt({}), issuer: { ...issuer, url: 'https://b', discoveryURL: 'https://d' } },
      ),
      /^jwt\[1\].issuer.discoveryURL: Duplicate value: "https:\/\/d"$/,
    ],
    [at({ url: '' }), /^jwt\[0\].issuer.url: Required value: URL is required$/],
    [at({ url: 'issuer' }), /^jwt\[0\].issuer.url: Invalid value: "issuer": is not a valid URL$/],
    [at({ url: 'http://issuer.example' }), /URL scheme must be https$/],
    [at({ url: 'https://me:pw@issuer.example' }), /URL must not contain a username or password$/],
    [at({ url: 'https://issuer.example?a=b' }), /URL must not contain a query$/],
    [at({ url: 'https://issuer.example#a' }), /URL must not contain a fragment$/],
    [
      at({ url: 'https://accounts.example' }),
      /URL must not overlap with disallowed issuers: \[https:\/\/accounts.example\]$/,
    ],
    [
      at({ discoveryURL: 'https://issuer.example/' }),
      /^jwt\[0\].issuer.discoveryURL: Invalid value: "https:\/\/issuer.example\/": discoveryURL must be different from URL$/,
    ],
    [at({ discoveryURL: 'http://x' }), /issuer.discoveryURL: .*URL scheme must be https$/],
    [
      at({ audiences: [] }),
      /^jwt\[0\].issuer.audiences: Required value: at least one jwt\[0\].issuer.audiences is required$/,
    ],
    [at({ audiences: [''] }), /issuer.audiences\[0\]: Required value: audience can't be empty$/],
    [
      at({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }),
      /issuer.audiences\[1\]: Duplicate value: "a"$/,
    ],
    [
      at({ audiences: ['a', 'b'] }),
      /issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be set to MatchAny for multiple audiences$/,
    ],
    [
      at({ audienceMatchPolicy: 'MatchAll' }),
      /audienceMatchPolicy must be empty or MatchAny for single audience$/,
    ],
    [
      at({ certificateAuthority: 'x' }),
      /issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates$/,
    ],
    [
      config({ issuer }),
      /^jwt\[0\].claimMappings.username: Required value: claim or expression is required$/,
    ],
    [
      mapped({ username: { claim: 'sub' } }),
      /^jwt\[0\].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing$/,
    ],
    [
      mapped({ username: { claim: 'sub', prefix: '', expression: 'claims.sub' } }),
      /^jwt\[0\].claimMappings.username: Invalid value: "": claim and expression can't both be set$/,
    ],
    [mapped({ groups: { claim: 'g' } }), /claimMappings.groups.prefix: Required value/],
    [
      mapped({ groups: { claim: 'g', expression: 'claims.g', prefix: '' } }),
      /claimMappings.groups: Invalid value: "": claim and expression can't both be set$/,
    ],
    [
      mapped({ uid: { claim: 'a', expression: 'claims.a' } }),
      /claimMappings.uid: Invalid value: "": claim and expression can't both be set$/,
    ],
    [
      mapped({ extra: [{ key: '', valueExpression: '' }] }),
      /claimMappings.extra\[0\].key: Required value; jwt\[0\].claimMappings.extra\[0\].valueExpression: Required value: valueExpression is required$/,
    ],
    [
      mapped({ extra: [{ key: 'foo' }] }),
      /extra\[0\].key: Invalid value: "foo": must be a domain-prefixed path/,
    ],
    [
      mapped({ extra: [{ key: 'example.org/Foo' }] }),
      /extra\[0\].key: Invalid value: "example.org\/Foo": key must be lowercase/,
    ],
    [
      mapped({ extra: [{ key: 'a_b/foo' }] }),
      /extra\[0\].key: Invalid value: "a_b": a lowercase RFC 1123 subdomain/,
    ],
    [mapped({ extra: [{ key: 'example.org/a b' }] }), /Invalid path/],
    [rules({}), /^jwt\[0\].claimValidationRules\[0\]: Required value: claim or expression is required$/],
    [
      rules({ claim: 'a', expression: 'true' }),
      /claimValidationRules\[0\]: Invalid value: "a": claim and expression can't both be set$/,
    ],
    [
      rules({ claim: 'a', message: 'm' }),
      /claimValidationRules\[0\].message: Invalid value: "m": message can't be set when claim is set$/,
    ],
    [rules({ claim: 'a' }, { claim: 'a' }), /claimValidationRules\[1\].claim: Duplicate value: "a"$/],
    [
      config(jwt({ userValidationRules: [{ message: 'm' }] })),
      /^jwt\[0\].userValidationRules\[0\].expression: Required value: expression is required$/,
    ],
  ]
  for (const [value, message] of table)
    t.match(complaint(value), message, JSON.stringify(value).slice(0, 240))
  t.end()
})

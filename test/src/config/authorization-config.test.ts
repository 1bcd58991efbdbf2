/** AuthorizationConfiguration files: what is taken, and every complaint with the path of its field. */

import t from 'tap'
import { formatYaml } from '../../../src/codec/yaml.ts'
import { parseAuthorizationConfig } from '../../../src/config/authorization-config.ts'
import type { JsonObject, JsonValue } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { authorizationConfiguration, webhookAuthorizer } from '../../support/service-files.ts'

const names = createNames('kubernetes')

const config = authorizationConfiguration

function hook(change: JsonObject, name?: string): JsonObject {
  return webhookAuthorizer('/etc/hook.yaml', { failurePolicy: 'NoOpinion', ...change }, name)
}

function complaint(value: JsonValue | string): string {
  const parsed = parseAuthorizationConfig(typeof value === 'string' ? value : formatYaml(value), names)
  return parsed.ok ? '' : parsed.failure
}

t.test('authorizers in their order, with the defaults', (t) => {
  const text = formatYaml(
    config(
      hook({}, 'first'),
      { type: 'Node', name: 'node' },
      hook(
        {
          authorizedTTL: '1m',
          unauthorizedTTL: '1s',
          timeout: '30s',
          failurePolicy: 'Deny',
          subjectAccessReviewVersion: 'v1beta1',
        },
        'second',
      ),
      { type: 'RBAC', name: 'rbac' },
    ),
  )
  const common = { kubeconfigFile: '/etc/hook.yaml', matchConditions: [] }
  t.same(parseAuthorizationConfig(text, names), {
    ok: true,
    value: [
      {
        type: 'webhook',
        webhook: {
          name: 'first',
          version: 'v1',
          timeoutMs: 3000,
          authorizedTtlMs: 300_000,
          unauthorizedTtlMs: 30_000,
          failurePolicy: 'NoOpinion',
          ...common,
        },
      },
      { type: 'builtIn', mode: 'Node', name: 'node' },
      {
        type: 'webhook',
        webhook: {
          name: 'second',
          version: 'v1beta1',
          timeoutMs: 30_000,
          authorizedTtlMs: 60_000,
          unauthorizedTtlMs: 1000,
          failurePolicy: 'Deny',
          ...common,
        },
      },
      { type: 'builtIn', mode: 'RBAC', name: 'rbac' },
    ],
  })
  const cluster = createNames('cluster')
  const own = { ...config({ type: 'RBAC', name: 'rbac' }), apiVersion: 'apiserver.config.cluster.io/v1beta1' }
  t.ok(parseAuthorizationConfig(JSON.stringify(own), cluster).ok, 'JSON, in the other dialect')
  t.end()
})

t.test('complaints', (t) => {
  const many = Array.from({ length: 65 }, (_, at) => ({ expression: `request.user == "${at}"` }))
  const table: readonly (readonly [JsonValue | string, RegExp])[] = [
    ['', /^is empty$/],
    ['{', /line 1/],
    ['[]', /not an object/],
    [
      { ...config(), apiVersion: 'apiserver.config.k8s.io/v2' },
      /^apiVersion is "apiserver.config.k8s.io\/v2", expected /,
    ],
    [{ ...config(), kind: 'AuthenticationConfiguration' }, /^kind is "AuthenticationConfiguration"/],
    [config(), /^authorizers: Required value: at least one authorization mode must be defined$/],
    [{ ...config({ type: 'RBAC', name: 'a' }), extra: 1 }, /^strict decoding error: unknown field "extra"$/],
    [config({ type: 'RBAC', name: 'a', rules: [] }), /unknown field "authorizers\[0\].rules"/],
    [config(hook({ timeoutSeconds: 3 })), /unknown field "authorizers\[0\].webhook.timeoutSeconds"/],
    [config({ type: 1, name: 'a' }), /authorizers\[0\].type: expected string, found number/],
    [
      'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: RBAC\n  type: Node\n  name: a\n',
      /duplicate field "authorizers\[0\].type"/,
    ],
    [config({ name: 'a' }), /^authorizers\[0\].type: Required value$/],
    [
      config({ type: 'AlwaysAllow', name: 'a' }),
      /type: Unsupported value: "AlwaysAllow": supported values: "Node", "RBAC", "Webhook"$/,
    ],
    [
      config({ type: 'rbac', name: 'a' }),
      /^authorizers\[0\].type: Unsupported value: "rbac": supported values: /,
    ],
    [
      config({ type: 'RBAC', name: 'a' }, { type: 'RBAC', name: 'b' }),
      /^authorizers\[1\].type: Duplicate value: "RBAC"$/,
    ],
    [config({ type: 'RBAC' }), /^authorizers\[0\].name: Required value$/],
    [
      config({ type: 'RBAC', name: 'a' }, { type: 'Node', name: 'a' }),
      /^authorizers\[1\].name: Duplicate value: "a"$/,
    ],
    [
      config({ type: 'RBAC', name: 'A_b' }),
      /^authorizers\[0\].name: Invalid value: "A_b": authorizer name is invalid: /,
    ],
    [
      config({ type: 'Webhook', name: 'a' }),
      /^authorizers\[0\].webhook: Required value: required when type=Webhook$/,
    ],
    [
      config({ ...hook({}, 'a'), type: 'RBAC' }),
      /^authorizers\[0\].webhook: Invalid value: "non-null": may only be specified when type=Webhook$/,
    ],
    [config(hook({ timeout: '' })), /^authorizers\[0\].webhook.timeout: Required value$/],
    [
      config(hook({ timeout: '31s' })),
      /^authorizers\[0\].webhook.timeout: Invalid value: "31s": must be > 0s and <= 30s$/,
    ],
    [config(hook({ timeout: '0s' })), /must be > 0s and <= 30s/],
    [config(hook({ timeout: 'soon' })), /must be > 0s and <= 30s/],
    [config(hook({ authorizedTTL: '-1s' })), /webhook.authorizedTTL: Invalid value: "-1s": must be > 0s/],
    [config(hook({ unauthorizedTTL: '0' })), /webhook.unauthorizedTTL: Invalid value: "0": must be > 0s/],
    [config(hook({ subjectAccessReviewVersion: '' })), /webhook.subjectAccessReviewVersion: Required value$/],
    [
      config(hook({ subjectAccessReviewVersion: 'v2' })),
      /webhook.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"/,
    ],
    [
      config(hook({ matchConditionSubjectAccessReviewVersion: '' })),
      /webhook.matchConditionSubjectAccessReviewVersion: Required value/,
    ],
    [config(hook({ matchConditionSubjectAccessReviewVersion: 'v1beta1' })), /supported values: "v1"$/],
    [config(hook({ failurePolicy: '' })), /webhook.failurePolicy: Required value$/],
    [config(hook({ failurePolicy: 'Allow' })), /supported values: "NoOpinion", "Deny"$/],
    [config(hook({ connectionInfo: {} })), /webhook.connectionInfo.type: Required value$/],
    [
      config(hook({ connectionInfo: { type: 'InClusterConfig' } })),
      /connectionInfo.type: Invalid value: "InClusterConfig": is not allowed for the server itself$/,
    ],
    [
      config(hook({ connectionInfo: { type: 'Socket' } })),
      /connectionInfo.type: Unsupported value: "Socket"/,
    ],
    [
      config(hook({ connectionInfo: { type: 'KubeConfig' } })),
      /connectionInfo.kubeConfigFile: Required value$/,
    ],
    [
      config(hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'hook.yaml' } })),
      /kubeConfigFile: Invalid value: "hook.yaml": must be an absolute path$/,
    ],
    [
      config(hook({ matchConditions: many })),
      /webhook.matchConditions: Too many: 65: must have at most 64 items/,
    ],
    [
      config(hook({ matchConditions: [{ expression: ' ' }] })),
      /matchConditions\[0\].expression: Required value$/,
    ],
    [
      config({ type: 'x', name: '' }, hook({ timeout: '' }, 'A')),
      /type: Unsupported.*; authorizers\[0\].name: Required value; authorizers\[1\].name: Invalid.*; authorizers\[1\].webhook.timeout: Required value/,
    ],
  ]
  for (const [value, message] of table)
    t.match(complaint(value), message, JSON.stringify(value).slice(0, 200))
  t.end()
})

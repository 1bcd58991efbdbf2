/** What stops the start: every complaint names its flag and its file. */

import t from 'tap'
import { type ExternalAccessConfig, openExternalAccess } from '../../../src/config/external-access.ts'
import type { OidcFlags } from '../../../src/config/oidc-flags.ts'
import { createNames } from '../../../src/names/names.ts'
import { silentLog } from '../../../src/observe/log.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { kubeconfigTo } from '../../support/service-files.ts'
import { createTestAuthority, outsideWith } from '../../support/tls-service.ts'

const { ca } = await createTestAuthority()

const oidc: OidcFlags = {
  issuerUrl: 'https://issuer.example',
  clientId: 'me',
  usernameClaim: 'sub',
  usernamePrefix: undefined,
  groupsClaim: undefined,
  groupsPrefix: '',
  requiredClaims: new Map(),
  signingAlgorithms: ['RS256'],
  caFile: undefined,
}
const hook = {
  configFile: '/hook',
  version: 'v1',
  cacheTtlMs: 0,
  authorizedTtlMs: 0,
  unauthorizedTtlMs: 0,
} as const
const kubeconfig = kubeconfigTo('https://hook.example')

async function open(config: ExternalAccessConfig, files: Readonly<Record<string, string>> = {}) {
  return openExternalAccess(config, {
    outside: outsideWith(new Map(Object.entries(files))),
    names: createNames('kubernetes'),
    clock: createManualClock(),
    log: silentLog,
    fraction: () => 0,
    disallowedIssuers: ['https://accounts.example'],
    apiAudiences: ['api'],
    serverIdHash: '',
  })
}

t.test('what is wrong', async (t) => {
  const table: readonly (readonly [ExternalAccessConfig, Readonly<Record<string, string>>, RegExp])[] = [
    [{ oidc: { ...oidc, caFile: '/none' } }, {}, /^--oidc-ca-file \/none does not exist$/],
    [
      { oidc: { ...oidc, caFile: '/ca' } },
      { '/ca': 'junk' },
      /^--oidc-ca-file \/ca: data does not contain any valid/,
    ],
    [{ oidc: { ...oidc, issuerUrl: 'http://x' } }, {}, /^--oidc-issuer-url: .*URL scheme must be https$/],
    [
      { oidc: { ...oidc, issuerUrl: 'https://accounts.example' } },
      {},
      /^--oidc-issuer-url: .*must not overlap/,
    ],
    [{ authenticationConfigFile: '/none' }, {}, /^--authentication-config \/none does not exist$/],
    [{ authenticationConfigFile: '/a' }, { '/a': '' }, /^--authentication-config \/a: is empty$/],
    [{ authorizationConfigFile: '/a' }, { '/a': 'a: [' }, /^--authorization-config \/a: .*line 1/],
    [{ tokenWebhook: hook }, {}, /^--authentication-token-webhook-config-file \/hook does not exist$/],
    [{ tokenWebhook: hook }, { '/hook': '{}' }, /\/hook: current-context is not set$/],
    [
      { authorizationWebhook: { ...hook, modes: ['Webhook'] } },
      { '/hook': 'x' },
      /^--authorization-webhook-config-file \/hook: is no client configuration$/,
    ],
    [
      { tokenWebhook: hook, authorizationConfigFile: '/a' },
      { '/hook': kubeconfig },
      /^--authorization-config \/a/,
    ],
  ]
  for (const [config, files, message] of table) {
    const opened = await open(config, files)
    t.match(opened.ok ? '' : opened.failure, message)
  }
})

t.test('what is right', async (t) => {
  const opened = await open(
    {
      oidc: { ...oidc, caFile: '/ca' },
      tokenWebhook: hook,
      authorizationWebhook: { ...hook, modes: ['RBAC', 'Webhook'] },
    },
    { '/ca': ca.certificate, '/hook': kubeconfig },
  )
  if (!opened.ok) throw new Error(opened.failure)
  t.equal(opened.value.tokens.length, 2)
  t.ok(opened.value.authorizers)
  opened.value.close()
  t.match(await open({}), {
    ok: true,
    value: { tokens: [], requestHeader: undefined, authorizers: undefined },
  })
})

t.test('names of users by flags', async (t) => {
  const { oidcSettings } = await import('../../../src/config/oidc-flags.ts')
  const table: readonly (readonly [Partial<OidcFlags>, string])[] = [
    [{}, 'https://issuer.example#'],
    [{ usernameClaim: 'name' }, 'https://issuer.example#'],
    [{ usernameClaim: 'email' }, ''],
    [{ usernamePrefix: '-' }, ''],
    [{ usernamePrefix: 'oidc:' }, 'oidc:'],
    [{ usernameClaim: 'email', usernamePrefix: 'oidc:' }, 'oidc:'],
  ]
  for (const [change, prefix] of table) {
    const settings = oidcSettings({ ...oidc, ...change }, { ca: undefined, disallowedIssuers: [] })
    t.match(settings, { ok: true, value: { username: { type: 'claim', prefix } } }, JSON.stringify(change))
  }
})

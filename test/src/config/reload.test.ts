/** Configuration files that change while the server runs: taken over when they are right, else nothing changes. */

import t from 'tap'
import type { AuthorizationModule } from '../../../src/authz/authorizer.ts'
import { alwaysAllow, alwaysDeny } from '../../../src/authz/modes.ts'
import { openReloadedChain } from '../../../src/config/authorizer-chain.ts'
import { followMs } from '../../../src/config/follow-file.ts'
import { openReloadedAuthentication } from '../../../src/config/reloaded-authentication.ts'
import type { JsonObject } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { silentLog } from '../../../src/observe/log.ts'
import { eventually } from '../../support/eventually.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { createSigningKey, seconds, signToken, startOidcProvider } from '../../support/oidc-provider.ts'
import {
  authorizationConfiguration,
  inlineCa,
  kubeconfigTo,
  webhookAuthorizer,
} from '../../support/service-files.ts'
import { createTestAuthority, outsideWith, sendJson, startTlsService } from '../../support/tls-service.ts'

const authority = await createTestAuthority()
const names = createNames('kubernetes')
const path = '/config.yaml'

function parts(files: Map<string, string>) {
  const clock = createManualClock()
  const common = { names, clock, log: silentLog, fraction: () => 0, serverIdHash: 'sha256:0' }
  return { ...common, path, outside: outsideWith(files), disallowedIssuers: [] }
}

function issuers(...urls: readonly string[]): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: urls.map((url) => ({
      issuer: { url, audiences: ['me'], certificateAuthority: authority.ca.certificate },
      claimMappings: { username: { claim: 'sub', prefix: '' } },
    })),
  })
}

t.test('authentication', async (t) => {
  const key = await createSigningKey('key')
  const [first, second, dead] = await Promise.all([
    startOidcProvider(t, authority),
    startOidcProvider(t, authority),
    startOidcProvider(t, authority),
  ])
  for (const provider of [first, second]) provider.publish(key)
  await dead.service.stop()
  const files = new Map([[path, issuers(first.url)]])
  const given = parts(files)
  const { clock } = given
  const opened = await openReloadedAuthentication(given)
  if (!opened.ok) throw new Error(opened.failure)
  const { tokens, metricsText, start, close } = opened.value
  t.teardown(close)
  start()
  const outcome = async (provider: typeof first): Promise<string> => {
    const claims = { iss: provider.url, aud: 'me', sub: 'jane', exp: seconds(clock.wallMs()) + 600 }
    return (await tokens.authenticateToken(await signToken(key, claims))).type
  }
  const reloads = (status: string): number =>
    Number(new RegExp(`reloads_total.*status="${status}"} (\\d+)`).exec(metricsText())?.[1] ?? 0)
  const settled = (status: string, count: number) =>
    eventually(`reload ${count} with ${status}`, () => {
      clock.advance(followMs)
      return reloads(status) >= count
    })

  await eventually('the first provider', async () => (await outcome(first)) === 'user')
  t.equal(await outcome(second), 'none')

  files.set(path, issuers(first.url, second.url))
  await settled('success', 1)
  t.equal(await outcome(second), 'user', 'another issuer')
  t.match(
    metricsText(),
    /^apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds\{apiserver_id_hash="sha256:0",status="success"\} 17\d{8}/m,
  )

  files.set(path, issuers(first.url, 'http://insecure.example'))
  await settled('failure', 1)
  t.equal(await outcome(second), 'user', 'a file that is wrong changes nothing')

  files.delete(path)
  await settled('failure', 2)
  t.equal(await outcome(second), 'user', 'neither does one that has gone')

  files.set(path, issuers(second.url, dead.url))
  await settled('failure', 3)
  t.equal(await outcome(first), 'user', 'nor one whose provider is dead')

  files.set(path, issuers(second.url))
  await settled('success', 2)
  t.equal(await outcome(first), 'none', 'an issuer that has gone')
  t.equal(await outcome(second), 'user')
})

t.test('authentication: a start fails with the name of the file', async (t) => {
  const failure = async (text?: string): Promise<string> => {
    const opened = await openReloadedAuthentication(parts(new Map(text === undefined ? [] : [[path, text]])))
    return opened.ok ? '' : opened.failure
  }
  t.equal(await failure(), '--authentication-config /config.yaml does not exist')
  t.equal(await failure(''), '--authentication-config /config.yaml: is empty')
  t.match(
    await failure(issuers('http://x')),
    /^--authentication-config \/config.yaml: jwt\[0\].issuer.url: Invalid value/,
  )
})

t.test('authorization', async (t) => {
  const hook = await startTlsService(t, authority, (_, response, body) => {
    const review = JSON.parse(body)
    sendJson(response, { ...review, status: { allowed: review.spec.user === 'jane' } })
  })
  const kubeconfig = kubeconfigTo(hook.url, inlineCa(authority.ca.certificate))
  const authorizers = (...list: readonly JsonObject[]): string =>
    JSON.stringify(authorizationConfiguration(...list))
  const webhook = webhookAuthorizer('/hook.yaml')
  const rbac = { type: 'RBAC', name: 'rbac' }
  const files = new Map([
    [path, authorizers(rbac)],
    ['/hook.yaml', kubeconfig],
  ])
  const given = parts(files)
  const opened = await openReloadedChain(path, given)
  if (!opened.ok) throw new Error(opened.failure)
  const { module, metricsText, start, close } = opened.value
  t.teardown(close)
  const chain: AuthorizationModule = module((mode) => (mode === 'Node' ? alwaysAllow : alwaysDeny))
  start()
  const decide = async (name: string): Promise<string> => {
    const user = { name, uid: '', groups: [], extra: new Map() }
    return (await chain.authorize({ user, request: { type: 'nonResource', verb: 'get', path: '/' } }))
      .decision
  }
  const settled = (status: string, count: number) =>
    eventually(`reload ${count} with ${status}`, () => {
      given.clock.advance(followMs)
      return metricsText().includes(
        `automatic_reloads_total{apiserver_id_hash="sha256:0",status="${status}"} ${count}`,
      )
    })
  t.equal(await decide('jane'), 'noOpinion')

  files.set(path, authorizers(webhook, rbac))
  await settled('success', 1)
  t.same([await decide('jane'), await decide('bob')], ['allow', 'noOpinion'])
  t.match(
    metricsText(),
    /apiserver_authorization_decisions_total\{decision="allowed",type="Webhook",name="hook"\} 1\n/,
  )
  t.match(await chain.rulesFor({ name: 'jane', uid: '', groups: [], extra: new Map() }, 'x'), {
    incomplete: true,
  })

  files.set(path, authorizers(webhook, webhook))
  await settled('failure', 1)
  t.equal(await decide('jane'), 'allow', 'a file that is wrong changes nothing')

  files.set('/other.yaml', '{}')
  files.set(path, authorizers(webhookAuthorizer('/other.yaml')))
  await settled('failure', 2)
  t.equal(await decide('jane'), 'allow', 'nor one whose webhook cannot be asked')

  files.set(path, authorizers(rbac, { type: 'Node', name: 'all' }))
  await settled('success', 2)
  t.same([await decide('jane'), await decide('bob')], ['allow', 'allow'])
})

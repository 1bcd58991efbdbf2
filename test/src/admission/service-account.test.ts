/** ServiceAccount: who a pod runs as, where it finds its token, and which secrets it may reach for. */

import t from 'tap'
import { createServiceAccount } from '../../../src/admission/plugins/service-account.ts'
import type { Identifiers } from '../../../src/pipeline/identifiers.ts'
import { liveClock } from '../../support/live-clock.ts'
import { names } from '../types/types.ts'
import { attempt, lookupsOf, pod, type Stored } from './trial.ts'

const identifiers: Identifiers = { uuid: () => '', nameSuffix: () => 'abcde', fraction: () => 0 }

const account = (name: string, more: object = {}, metadata: object = {}): object => ({
  metadata: { name, namespace: 'ns', ...metadata },
  ...more,
})

const stored: Stored = {
  'core/serviceaccounts': [
    account('default'),
    account('puller', { imagePullSecrets: [{ name: 'registry' }] }),
    account('quiet', { automountServiceAccountToken: false }),
    account(
      'strict',
      { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'registry' }] },
      { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    ),
  ],
}

const clock = { ...liveClock, after: (_delayMs: number, action: () => void) => liveClock.after(0, action) }
const pluginOver = (lookups: ReturnType<typeof lookupsOf>) =>
  createServiceAccount({ names, lookups, clock, identifiers })
const plugin = pluginOver(lookupsOf(stored))

const mount = {
  name: 'kube-api-access-abcde',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
}

const admit = (spec: object, metadata?: object) =>
  attempt(plugin, { kind: 'v1 Pod', object: pod(spec, metadata) })

t.test('the default account, and a token in every container', async (t) => {
  t.match(await admit({ initContainers: [{ name: 'i' }] }), {
    spec: {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [mount] }],
      volumes: [
        {
          name: 'kube-api-access-abcde',
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [
                    { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                  ],
                },
              },
            ],
          },
        },
      ],
    },
  })
})

t.test('no token where none is wanted', async (t) => {
  const without = { spec: { volumes: undefined, containers: [{ volumeMounts: undefined }] } }
  t.match(await admit({ automountServiceAccountToken: false }), without, 'the pod says so')
  t.match(await admit({ serviceAccountName: 'quiet' }), without, 'the account says so')
  t.match(
    await admit({ serviceAccountName: 'quiet', automountServiceAccountToken: true }),
    { spec: { containers: [{ volumeMounts: [mount] }] } },
    'the pod has the last word',
  )
  const own = [{ name: 'own', mountPath: mount.mountPath }]
  t.match(
    await admit({ containers: [{ name: 'c', volumeMounts: own }] }),
    { spec: { volumes: undefined, containers: [{ volumeMounts: own }] } },
    'something is mounted there',
  )
})

t.test('the secrets for images come from the account, unless the pod names some', async (t) => {
  const spec = { serviceAccountName: 'puller' }
  t.match(await admit(spec), { spec: { imagePullSecrets: [{ name: 'registry' }] } })
  t.match(await admit({ ...spec, imagePullSecrets: [{ name: 'own' }] }), {
    spec: { imagePullSecrets: [{ name: 'own' }] },
  })
})

const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
const forbidden = 'pods "p" is forbidden:'
const because = 'is not allowed because service account strict does not reference that'

const refusals: readonly (readonly [string, object, object, string])[] = [
  [
    'no such account',
    { serviceAccountName: 'none' },
    {},
    'error looking up service account ns/none: serviceaccount "none" not found',
  ],
  [
    'mirror pod',
    { serviceAccountName: 'default' },
    mirror,
    'a mirror pod may not reference service accounts',
  ],
  [
    'mirror pod with a secret',
    { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    mirror,
    'a mirror pod may not reference secrets',
  ],
  [
    'mirror pod with a token',
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    mirror,
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
  [
    'a volume',
    { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
    {},
    `volume with secret.secretName="other" ${because} secret`,
  ],
  [
    'the environment',
    {
      serviceAccountName: 'strict',
      containers: [
        { name: 'c', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] },
      ],
    },
    {},
    `container c with envVar referencing secret.secretName="other" ${because} secret`,
  ],
  [
    'images',
    { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'registry' }, { name: 'other' }] },
    {},
    `imagePullSecrets[1].name="other" ${because} imagePullSecret`,
  ],
]

t.test('refusals', async (t) => {
  for (const [name, spec, metadata, why] of refusals)
    t.equal(await admit(spec, metadata), `${forbidden} ${why}`, name)
})

t.test('what an account names may be used', async (t) => {
  const spec = { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'mine' } }] }
  t.match(await admit(spec), { spec })
})

t.test('a pod waits for the default account of a new namespace', async (t) => {
  const lookups = lookupsOf(stored)
  let asked = 0
  const late = pluginOver((prefix) => ({
    ...lookups(prefix),
    get: (name) => lookups(++asked < 4 ? 'nothing' : prefix).get(name),
  }))
  t.match(await attempt(late, { kind: 'v1 Pod', object: pod({}) }), {
    spec: { serviceAccountName: 'default' },
  })
  t.equal(
    await attempt(pluginOver(lookupsOf({})), { kind: 'v1 Pod', object: pod({}) }),
    `${forbidden} error looking up service account ns/default: serviceaccount "default" not found`,
    'but not for ever',
  )
})

t.test('containers that are added to a running pod', async (t) => {
  const adding = (account: string, container: object, subresource = 'ephemeralcontainers') =>
    attempt(plugin, {
      kind: 'v1 Pod',
      operation: 'UPDATE',
      subresource,
      object: pod({ serviceAccountName: account, ephemeralContainers: [{ name: 'debug', ...container }] }),
      old: pod({ serviceAccountName: account }),
    })
  const other = { envFrom: [{ secretRef: { name: 'other' } }] }
  t.equal(
    await adding('strict', other),
    `pods "p" is forbidden: ephemeral container debug with envVar referencing secret.secretName="other" ${because} secret`,
  )
  for (const [what, result] of [
    ['a secret that the account lists', adding('strict', { envFrom: [{ secretRef: { name: 'mine' } }] })],
    ['an account that says nothing', adding('default', other)],
    ['another change', adding('strict', other, 'status')],
  ] as const) {
    t.not(typeof (await result), 'string', what)
  }
})

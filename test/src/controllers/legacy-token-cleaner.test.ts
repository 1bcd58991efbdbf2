import t from 'tap'
import { type Fate, fateOf } from '../../../src/controllers/legacy-token-cleaner.ts'
import { eventually } from '../../support/eventually.ts'
import { ecKey, serviceAccountOptions } from '../../support/tokens.ts'
import { tokenClient } from '../authn/token-client.ts'

const dayMs = 86_400_000

t.test('(what is known of a token → what becomes of it)', (t) => {
  const now = Date.parse('2026-06-30T12:00:00Z')
  const day = (ago: number): string => new Date(now - ago * dayMs).toISOString().slice(0, 10)
  for (const [what, created, lastUsed, invalidSince, fate] of [
    ['new', 1, '', '', 'keep'],
    ['old, used yesterday', 500, day(1), '', 'keep'],
    ['old, used on the last day that counts', 500, day(365), '', 'keep'],
    ['old, used before that', 500, day(366), '', 'mark'],
    ['old, never used', 500, '', '', 'mark'],
    ['old, used at no time', 500, 'today', '', 'keep'],
    ['marked at no time', 500, '', 'x', 'mark'],
    ['marked yesterday', 500, '', day(1), 'keep'],
    ['marked and used', 900, day(1), day(400), 'keep'],
    ['marked long ago', 900, day(800), day(366), 'delete'],
  ] as const satisfies readonly (readonly [string, number, string, string, Fate])[]) {
    const createdAt = new Date(now - created * dayMs).toISOString()
    t.equal(fateOf({ createdAt, lastUsed, invalidSince }, now, 365 * dayMs), fate, what)
  }
  t.end()
})

t.test('over the years', async (t) => {
  const today = (): string => new Date().toISOString().slice(0, 10)
  const firstDay = today()
  const base = '/api/v1/namespaces/default'
  const since =
    '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking'
  const first = await tokenClient(t, { rootCa: 'CA', serviceAccounts: serviceAccountOptions(ecKey()) })
  await first.must(`POST ${base}/serviceaccounts`, {
    metadata: { name: 'robot' },
    secrets: [{ name: 'automatic' }, { name: 'mounted' }],
  })
  for (const name of ['automatic', 'mounted', 'wanted'])
    await first.must(`POST ${base}/secrets`, {
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    })
  await first.must(`POST ${base}/pods`, {
    metadata: { name: 'p' },
    spec: {
      serviceAccountName: 'robot',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', secret: { secretName: 'mounted' } }],
    },
  })
  await eventually('the first day to be noted', async () => (await first.ask(`GET ${since}`)).status === 200)
  const { data } = await first.must(`GET ${since}`)
  t.ok([firstDay, today()].includes(data?.['since'] ?? ''), `first used on ${data?.['since']}`)
  await first.server.api.close()

  const label = 'kubernetes.io/legacy-token-invalid-since'
  for (const [years, check] of [
    [
      1.1,
      async ({ must }) =>
        label in
        (((await must(`GET ${base}/secrets/automatic`)) as unknown as { metadata: { labels?: object } })
          .metadata.labels ?? {}),
    ],
    [2.2, async ({ ask }) => (await ask(`GET ${base}/secrets/automatic`)).status === 404],
  ] as const satisfies readonly (readonly [number, (client: typeof first) => Promise<boolean>])[]) {
    const later = await tokenClient(
      t,
      { rootCa: 'CA', store: first.server.store, serviceAccounts: serviceAccountOptions(ecKey()) },
      years * 365 * 86_400,
    )
    await eventually(`what happens in ${years} years`, () => check(later))
    for (const name of ['mounted', 'wanted']) {
      const { metadata } = (await later.must(`GET ${base}/secrets/${name}`)) as unknown as {
        metadata: { labels?: object }
      }
      t.notOk(metadata.labels, `${name} stays as it is`)
    }
    await later.server.api.close()
  }
})

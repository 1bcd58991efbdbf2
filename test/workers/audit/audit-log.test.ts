/** Two worker processes write one log: every request stands in it, line by line, across files that were put aside. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CoreV1Api } from '@kubernetes/client-node'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { startServerProcess, temporaryDirectory } from '../../support/server-process.ts'

const requests = 60
const dataBytes = 40_000

function eventsIn(folder: string): readonly Record<string, unknown>[] {
  return readdirSync(folder)
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    })
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line))
}

t.test('a log of two processes, put aside and compressed', async (t) => {
  const files = temporaryDirectory(t)
  const folder = join(files, 'log')
  const policy = join(files, 'policy.yaml')
  writeFileSync(
    policy,
    `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: RequestResponse, resources: [{resources: [configmaps]}], verbs: [create], omitStages: [RequestReceived]}
- {level: None}
`,
  )
  const server = await startServerProcess(t, {
    args: [
      ...['--workers', '2', '--audit-policy-file', policy, '--audit-log-path', join(folder, 'audit.log')],
      ...['--audit-log-maxsize', '1', '--audit-log-compress', 'true'],
    ],
  })
  const api = server.kubeConfig().makeApiClient(CoreV1Api)
  const data = 'x'.repeat(dataBytes)
  const names = Array.from({ length: requests }, (_, at) => `c${at}`)
  for (let at = 0; at < names.length; at += 10) {
    await Promise.all(
      names.slice(at, at + 10).map((name) =>
        api.createNamespacedConfigMap({
          namespace: 'default',
          body: { metadata: { name }, data: { data } },
        }),
      ),
    )
  }
  await eventually('a log that was put aside and compressed', () =>
    readdirSync(folder).some((name) => name.endsWith('.log.gz')),
  )
  t.equal(await server.stop(), 0)
  const events = eventsIn(folder)
  t.match(events[0], {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    verb: 'create',
  })
  const written = events.map(({ objectRef }) => (objectRef as { readonly name?: string }).name)
  t.same(written.sort(), [...names].sort())
})

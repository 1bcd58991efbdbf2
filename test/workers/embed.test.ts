import { existsSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:https'
import t from 'tap'
import { type ControlPlane, startControlPlane } from '../../workers/embed.ts'
import { temporaryDirectory } from '../support/server-process.ts'

function statusOf({ url, ca, token }: ControlPlane, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { ca, headers: { authorization: `Bearer ${token}` }, agent: false })
    sent.once('response', (answer) => resolve(answer.resume().statusCode ?? 0))
    sent.once('error', reject)
    sent.end()
  })
}

t.test('several in one process, each with its own state, none left behind', async (t) => {
  const planes = await Promise.all([
    startControlPlane(),
    startControlPlane(),
    startControlPlane({ dialect: 'cluster' }),
  ])
  t.equal(new Set(planes.map(({ url }) => url)).size, 3)
  for (const plane of planes) {
    t.equal(await statusOf(plane, '/readyz'), 200)
    t.equal(await statusOf(plane, '/api/v1/namespaces/default'), 200)
    t.equal(readFileSync(plane.kubeconfigPath, 'utf8'), plane.kubeconfig)
    t.equal(statSync(plane.kubeconfigPath).mode & 0o777, 0o600)
  }
  await Promise.all(planes.map((plane) => plane.stop()))
  for (const plane of planes) {
    t.equal(existsSync(plane.dataDir), false)
    await t.rejects(statusOf(plane, '/readyz'))
    await plane.stop()
  }
})

t.test('a given directory is kept, and one control plane at a time has it', async (t) => {
  const dataDir = temporaryDirectory(t)
  const first = await startControlPlane({ dataDir })
  await t.rejects(startControlPlane({ dataDir }), /in use|lock/i)
  await first.stop()
  const second = await startControlPlane({ dataDir })
  t.equal(second.token, first.token)
  await second.stop()
})

t.test('what cannot be served is an error, and leaves nothing open', async (t) => {
  const plane = await startControlPlane()
  t.teardown(() => plane.stop())
  const port = Number(new URL(plane.url).port)
  await t.rejects(startControlPlane({ port }), new RegExp(`127\\.0\\.0\\.1:${port} is in use`))
  await t.rejects(startControlPlane({ runtimeConfig: { 'no/such': true } }), /unknown group version/)
  t.equal(await statusOf(plane, '/readyz'), 200, 'the first one serves on')
})

/** Ways in that start a process: `kubectl proxy`, and credentials that a plugin gives to kubectl and to a library. */

import { execFile, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AuthenticationV1Api, KubeConfig } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess, temporaryDirectory } from '../support/server-process.ts'

const run = promisify(execFile)
const kubectlPresent = spawnSync('kubectl', ['version', '--client']).status === 0

/** Where there is no kubectl the library is the only client. */
function testKubectl(name: string, tell: (t: Test) => Promise<void>): void {
  if (kubectlPresent) t.test(name, tell)
  else t.comment(`no kubectl on the PATH: ${name}`)
}

const directory = temporaryDirectory(t)
const tokenFile = join(directory, 'tokens.csv')
writeFileSync(tokenFile, 'first-token,jane,u1,developers\nsecond-token,jane,u1,"developers,night-shift"\n')
const server = await startServerProcess(t, { args: ['--workers', '1', '--token-auth-file', tokenFile] })

interface Plugin {
  readonly kubeconfigPath: string
  /** What the plugin was told, one text for each time that it ran. */
  calls(): readonly string[]
}

/** A client configuration without a credential, and the program that hands one out: `answers` in turn, the last for ever. */
function pluginOf(t: Test, { kubeconfigPath }: ServerProcess, answers: readonly object[]): Plugin {
  const dir = temporaryDirectory(t)
  const [program, counter, path] = ['plugin.mjs', 'calls', 'kubeconfig'].map((name) => join(dir, name))
  if (program === undefined || counter === undefined || path === undefined) throw new TypeError('no paths')
  const credentials = answers.map((status) => ({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status,
  }))
  appendFileSync(counter, '')
  writeFileSync(
    program,
    `#!${process.execPath}
import { appendFileSync, readFileSync } from 'node:fs'
const before = readFileSync(${JSON.stringify(counter)}, 'utf8').split('\\n').length - 1
appendFileSync(${JSON.stringify(counter)}, JSON.stringify([process.env.KUBERNETES_EXEC_INFO, process.env.SECRET_NAME]) + '\\n')
const credentials = ${JSON.stringify(credentials)}
process.stdout.write(JSON.stringify(credentials[Math.min(before, credentials.length - 1)]))
`,
  )
  chmodSync(program, 0o700)
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const [cluster] = config.clusters
  if (cluster === undefined) throw new TypeError('no cluster')
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'here',
          cluster: { server: cluster.server, 'certificate-authority-data': cluster.caData },
        },
      ],
      users: [
        {
          name: 'plugin',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: program,
              env: [{ name: 'SECRET_NAME', value: 'safe' }],
              interactiveMode: 'Never',
              provideClusterInfo: true,
            },
          },
        },
      ],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'plugin' } }],
      'current-context': 'here',
    }),
    { mode: 0o600 },
  )
  return {
    kubeconfigPath: path,
    calls: () => readFileSync(counter, 'utf8').split('\n').slice(0, -1),
  }
}

const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()

/** The administrator's certificate and key, PEM text. */
function adminCertificate(): { readonly clientCertificateData: string; readonly clientKeyData: string } {
  const user = server.kubeConfig().getCurrentUser()
  const decode = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString()
  return { clientCertificateData: decode(user?.certData), clientKeyData: decode(user?.keyData) }
}

async function whoAmI(config: KubeConfig): Promise<string> {
  const review = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })
  const { username, groups = [] } = review.status?.userInfo ?? {}
  return `${username}: ${groups.join(' ')}`
}

t.test('a library with a plugin', async (t) => {
  await t.test('a token is asked for once, and again when it has run out', async (t) => {
    const plugin = pluginOf(t, server, [
      { token: 'first-token', expirationTimestamp: anHourAgo },
      { token: 'second-token', expirationTimestamp: inAnHour },
    ])
    const config = new KubeConfig()
    config.loadFromFile(plugin.kubeconfigPath)
    t.equal(await whoAmI(config), 'jane: developers system:authenticated')
    t.equal(await whoAmI(config), 'jane: developers night-shift system:authenticated')
    t.equal(await whoAmI(config), 'jane: developers night-shift system:authenticated')
    t.equal(plugin.calls().length, 2)
  })
  await t.test('a certificate', async (t) => {
    const plugin = pluginOf(t, server, [adminCertificate()])
    const config = new KubeConfig()
    config.loadFromFile(plugin.kubeconfigPath)
    t.match(await whoAmI(config), /^kubernetes-admin: system:masters system:authenticated$/)
  })
  await t.test('a token that nobody knows', async (t) => {
    const plugin = pluginOf(t, server, [{ token: 'guessed' }])
    const config = new KubeConfig()
    config.loadFromFile(plugin.kubeconfigPath)
    await t.rejects(whoAmI(config), { code: 401 })
  })
})

testKubectl('kubectl with a plugin', async (t) => {
  const whoAmI = async ({ kubeconfigPath }: Plugin): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: kubeconfigPath, HOME: directory }
    const { stdout } = await run(
      'kubectl',
      ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'],
      {
        env,
      },
    )
    return stdout
  }
  await t.test('a token, for a plugin that is told which cluster it is for', async (t) => {
    const plugin = pluginOf(t, server, [{ token: 'first-token', expirationTimestamp: inAnHour }])
    t.equal(await whoAmI(plugin), 'jane')
    // Some kubectl look at the server's version first, in a process of its own: the last call is the one that counts.
    const [told, secretName] = JSON.parse(plugin.calls().at(-1) ?? '')
    t.match(JSON.parse(told), {
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: `https://127.0.0.1:${server.port}` } },
    })
    t.equal(secretName, 'safe')
  })
  await t.test('a certificate', async (t) => {
    t.equal(await whoAmI(pluginOf(t, server, [adminCertificate()])), 'kubernetes-admin')
  })
})

testKubectl('kubectl proxy', async (t) => {
  const env = { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: directory }
  const proxy = spawn('kubectl', ['proxy', '--port=0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => proxy.once('exit', () => resolve()))
  t.teardown(() => {
    proxy.kill()
    return ended
  })
  let printed = ''
  proxy.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  await eventually('the proxy to listen', () => printed.includes('\n'))
  const base = `http://${/127\.0\.0\.1:\d+/.exec(printed)?.[0]}`

  const made = await fetch(`${base}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'through' } }),
  })
  t.equal(made.status, 201)
  t.match(await (await fetch(`${base}/version`)).json(), { major: '1', minor: '30' })
  t.equal((await fetch(`${base}/api/v1/namespaces/default/configmaps/absent`)).status, 404)
  t.match(await (await fetch(`${base}/openapi/v3`)).json(), { paths: { 'api/v1': {} } })

  const watch = await fetch(
    `${base}/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dthrough`,
  )
  const reader = watch.body?.getReader()
  if (reader === undefined) throw new TypeError('the watch has no body')
  const first = await reader.read()
  t.match(JSON.parse(Buffer.from(first.value ?? []).toString()), {
    type: 'ADDED',
    object: { metadata: { name: 'through' } },
  })
  await reader.cancel()
})

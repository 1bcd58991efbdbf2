/**
 * The dialect kubernetes with the client that people have: kubectl, where one is on the PATH. Each row is a command
 * line and what it must print.
 */

import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startServerProcess, temporaryDirectory } from '../support/server-process.ts'

const run = promisify(execFile)
const present = spawnSync('kubectl', ['version', '--client']).status === 0

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: nginx, image: "nginx:1.27"}]
`

interface Row {
  readonly command: string
  readonly prints: RegExp
  /** The command must fail and print this on standard error. */
  readonly fails?: true
}

const transcript: readonly Row[] = [
  {
    command: 'get namespaces -o name',
    prints: /namespace\/default\nnamespace\/kube-node-lease\nnamespace\/kube-public\nnamespace\/kube-system/,
  },
  { command: 'api-versions', prints: /apps\/v1\n[\s\S]*rbac\.authorization\.k8s\.io\/v1/ },
  { command: 'api-resources --no-headers -o name', prints: /configmaps\n[\s\S]*deployments\.apps/ },
  { command: 'create configmap settings --from-literal=a=1', prints: /configmap\/settings created/ },
  {
    command: 'create configmap settings --from-literal=a=1',
    prints: /"settings" already exists/,
    fails: true,
  },
  { command: 'get configmap settings -o jsonpath={.data.a}', prints: /^1$/ },
  {
    command: 'patch configmap settings --type=merge -p {"data":{"a":"2"}}',
    prints: /configmap\/settings patched/,
  },
  {
    command: 'patch configmap settings --type=json -p [{"op":"replace","path":"/data/a","value":"3"}]',
    prints: /patched/,
  },
  { command: 'get configmap settings -o jsonpath={.data.a}', prints: /^3$/ },
  { command: 'get cm settings', prints: /NAME\s.*\nsettings\s/ },
  { command: 'create --validate=false -f {dir}/deployment.yaml', prints: /deployment\.apps\/web created/ },
  {
    command:
      'get deployment web -o jsonpath={.spec.progressDeadlineSeconds}/{.spec.strategy.rollingUpdate.maxSurge}',
    prints: /^600\/25%$/,
  },
  {
    command: 'get deploy -o wide',
    prints:
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR *\nweb +0\/2 +0 +0 +\d+s +nginx +nginx:1\.27 +app=web\n$/,
  },
  {
    command: 'get deploy,cm --no-headers',
    prints: /deployment\.apps\/web +0\/2 +0 +0 +\d+s\n[\s\S]*configmap\/settings +1 +\d+s/,
  },
  { command: 'scale deployment web --replicas=5', prints: /deployment\.apps\/web scaled/ },
  { command: 'get deploy web -o jsonpath={.spec.replicas}', prints: /^5$/ },
  { command: 'get pods -o name', prints: /^$/ },
  { command: 'get configmap absent', prints: /NotFound.*configmaps "absent" not found/, fails: true },
  {
    command: 'get configmaps -A --field-selector metadata.name=settings -o name',
    prints: /^configmap\/settings\n$/,
  },
  { command: 'get --raw /version', prints: /"major": ?"1"/ },
  { command: 'get --raw /readyz?verbose', prints: /\[\+\]ping ok[\s\S]*check passed/ },
  { command: 'delete deployment web --cascade=background', prints: /deployment\.apps "web" deleted/ },
  { command: 'delete configmap settings', prints: /configmap "settings" deleted/ },
  { command: 'get configmap settings', prints: /NotFound/, fails: true },
]

if (present) {
  t.test('kubectl, as people use it', async (t) => {
    const server = await startServerProcess(t, { args: ['--workers', '2'] })
    const dir = temporaryDirectory(t)
    writeFileSync(join(dir, 'deployment.yaml'), deployment)
    const environment = { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: dir }
    for (const row of transcript) {
      const words = row.command.replace('{dir}', dir).split(' ')
      const result = await run('kubectl', words, { env: environment, timeout: 30_000 }).then(
        ({ stdout }) => ({ failed: false, text: stdout }),
        (error: { stderr?: string; message: string }) => ({
          failed: true,
          text: error.stderr ?? error.message,
        }),
      )
      t.equal(
        result.failed,
        row.fails === true,
        `kubectl ${row.command}: ${result.text.trim().slice(0, 300)}`,
      )
      t.match(result.text, row.prints, `kubectl ${row.command}`)
    }
  })
} else {
  t.plan(0, 'no kubectl on the PATH: the other real client is in informer.test.ts')
}

/** What a test of a controller asks of its control plane beside the API: objects from files, users with roles of their own. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuthorizationV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import t from 'tap'
import { type ControlPlane, startControlPlane } from '../../workers/embed.ts'
import { temporaryDirectory } from '../support/server-process.ts'

function clientOf(kubeconfig: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  return config
}

const configMap = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

async function dataOf({ kubeconfig }: ControlPlane, name: string, namespace = 'default'): Promise<unknown> {
  const api = clientOf(kubeconfig).makeApiClient(CoreV1Api)
  return (await api.readNamespacedConfigMap({ namespace, name })).data
}

t.test('objects', async (t) => {
  const folder = temporaryDirectory(t)
  const path = join(folder, 'several.yaml')
  writeFileSync(
    path,
    `apiVersion: v1
kind: Namespace
metadata: {name: team}
---
# an empty document
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: listed, namespace: team}
  data: {from: list}
`,
  )
  const directory = join(folder, 'more')
  mkdirSync(directory)
  writeFileSync(join(directory, 'b.json'), JSON.stringify(configMap('file', { from: 'json' })))
  writeFileSync(join(directory, 'notes.txt'), 'not an object')

  await using plane = await startControlPlane({ objects: [path, directory, configMap('given', { a: 'b' })] })
  t.same(await dataOf(plane, 'listed', 'team'), { from: 'list' })
  t.same(await dataOf(plane, 'file'), { from: 'json' })
  t.same(await dataOf(plane, 'given'), { a: 'b' })

  await t.test('the same again changes what is different', async (t) => {
    const [again] = await plane.apply(configMap('given', { a: 'c' }))
    t.match(again, { metadata: { name: 'given', namespace: 'default' }, data: { a: 'c' } })
    t.same(await dataOf(plane, 'given'), { a: 'c' })
  })

  await t.test('a name that the server makes', async (t) => {
    const made = { ...configMap('', { a: 'b' }), metadata: { generateName: 'made-' } }
    const [first, second] = await plane.apply(made, made)
    t.match(first, { metadata: { name: /^made-\w{5}$/ } })
    t.not(JSON.stringify(first), JSON.stringify(second))
  })

  const broken = join(folder, 'broken.yaml')
  writeFileSync(broken, 'a: [')
  const nothing = join(folder, 'nothing.yaml')
  writeFileSync(nothing, 'just text')
  const refused: readonly [given: string | Readonly<Record<string, unknown>>, message: RegExp][] = [
    [join(folder, 'absent.yaml'), /ENOENT.*absent\.yaml/],
    [broken, /broken\.yaml: /],
    [nothing, /nothing\.yaml: expected an object with apiVersion and kind/],
    [{ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'a' } }, /^v1 has no kind Nothing$/],
    [{ apiVersion: 'no.such/v1', kind: 'A', metadata: { name: 'a' } }, /^GET \/apis\/no\.such\/v1: 404: /],
    [{ ...configMap('A_B', {}) }, /^PATCH .*\/A_B\?.*: 422: ConfigMap "A_B" is invalid: metadata\.name/],
  ]
  for (const [given, message] of refused) await t.rejects(plane.apply(given), { message }, String(message))
})

t.test('custom resource definitions come first, and are served before what is of them', async (t) => {
  const greeting = {
    apiVersion: 'example.com/v1',
    kind: 'Greeting',
    metadata: { name: 'hello' },
    spec: { to: 'Jane' },
  }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'greetings.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'greetings', kind: 'Greeting' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { to: { type: 'string' }, loud: { type: 'boolean', default: false } },
                },
              },
            },
          },
        },
      ],
    },
  }
  await using plane = await startControlPlane({ objects: [greeting, definition] })
  const [again, served] = await plane.apply(greeting, definition)
  t.match(again, { metadata: { namespace: 'default' }, spec: { to: 'Jane', loud: false } })
  t.match(served, { status: { acceptedNames: { kind: 'Greeting' }, storedVersions: ['v1'] } })
  await t.rejects(plane.apply({ ...greeting, spec: { to: 1 } }), {
    message: /\.spec\.to: expected string, got /,
  })

  const rival = { ...definition, metadata: { name: 'hellos.example.com' } }
  const names = { plural: 'hellos', kind: 'Greeting' }
  await t.rejects(plane.apply({ ...rival, spec: { ...definition.spec, names } }), {
    message: /^hellos\.example\.com is not served: "?Greeting/,
  })
})

t.test('what is refused at the start leaves nothing behind', async (t) => {
  const dataDir = temporaryDirectory(t)
  await t.rejects(startControlPlane({ dataDir, objects: [configMap('A_B', {})] }), /A_B/)
  const plane = await startControlPlane({ dataDir })
  await plane.stop()
})

t.test('users', async (t) => {
  await using plane = await startControlPlane()
  await plane.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'viewers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'watchers' }],
  })
  const rows: readonly [user: { name: string; groups?: readonly string[] }, allowed: boolean][] = [
    [{ name: 'jane', groups: ['watchers', 'others'] }, true],
    [{ name: 'joe' }, false],
    [{ name: 'system:serviceaccount:default:default', groups: ['watchers'] }, true],
  ]
  for (const [user, allowed] of rows) {
    const config = clientOf(await plane.kubeconfigOf(user))
    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default' } } },
    })
    t.equal(review.status?.allowed, allowed, user.name)
    const listed = config.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace: 'default' })
    if (allowed) await listed
    else await t.rejects(listed, { code: 403, body: /User .{1,3}joe.{1,3} cannot list/ })
  }
  await t.rejects(plane.kubeconfigOf({ name: '' }), /a user needs a name/)
})

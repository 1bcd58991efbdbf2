/**
 * Paths that are written so that one part of the server might read them in another way than the next: what is judged
 * must be what is served. Jane may read config maps in the namespace `shop`, and paths below `/openapi/`.
 */

import t, { type Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import type { InProcessServer } from '../../support/in-process-server.ts'
import { createRandom } from '../../support/random.ts'
import { allow, ask, group, rbac, rule, started } from './access-client.ts'

const jewels = 'the crown jewels'
const bread = 'bread and butter'

async function prepare(t: Test): Promise<InProcessServer> {
  const server = await started(t)
  const make = (line: string, body: object) => ask(server, 'admin', `POST ${line}`, body)
  await make('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await make('/api/v1/namespaces/kube-system/configmaps', { metadata: { name: 'top' }, data: { jewels } })
  await make('/api/v1/namespaces/kube-system/secrets', { metadata: { name: 'top' }, stringData: { jewels } })
  await make('/api/v1/namespaces/shop/secrets', { metadata: { name: 'top' }, stringData: { jewels } })
  await make('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'mine' }, data: { bread } })
  const rules = [rule(['get', 'list'], 'configmaps')]
  await make(`${rbac}/namespaces/shop/roles`, { metadata: { name: 'reader' }, rules })
  await make(`${rbac}/namespaces/shop/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: group, kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: group, kind: 'User', name: 'jane' }],
  })
  await allow(server, 'paths', { verbs: ['get'], nonResourceURLs: ['/openapi/*', '/livez/*'] })
  await eventually(
    'the role to count',
    async () => (await look(server, '/api/v1/namespaces/shop/configmaps')).status === 200,
  )
  return server
}

async function look(server: InProcessServer, target: string): Promise<{ status: number; text: string }> {
  const { status, body } = await server.request({ method: 'GET', target, as: 'user' })
  return { status, text: body.toString() }
}

t.test('tricks', async (t) => {
  const server = await prepare(t)
  const table: readonly (readonly [string, number])[] = [
    // what jane may do, so that the rest fails for its own reason
    ['/api/v1/namespaces/shop/configmaps/mine', 200],
    ['/api/v1/namespaces/shop/configmaps/', 200],
    ['/api/v1/namespaces/kube-system/configmaps/top', 403],
    ['/api/v1/configmaps', 403],
    // dots
    ['/api/v1/namespaces/shop/configmaps/../secrets/top', 403],
    ['/api/v1/namespaces/shop/../kube-system/configmaps/top', 403],
    ['/api/v1/namespaces/shop/configmaps/../../kube-system/configmaps/top', 403],
    ['/api/v1/namespaces/shop/%2e%2e/kube-system/configmaps/top', 403],
    ['/api/v1/namespaces/./kube-system/configmaps/top', 403],
    ['/openapi/../api/v1/namespaces/kube-system/configmaps/top', 404],
    ['/openapi/../metrics', 404],
    ['/openapi/%2e%2e/metrics', 404],
    // slashes
    ['/api/v1/namespaces//configmaps', 403],
    ['/api/v1/namespaces//configmaps/top', 403],
    ['/api/v1//namespaces/kube-system/configmaps/top', 403],
    ['//api/v1/namespaces/kube-system/configmaps/top', 403],
    ['/api//v1/namespaces/kube-system/configmaps/top', 403],
    ['/api/v1/namespaces/shop//secrets/top', 403],
    ['/api/v1/namespaces/shop/configmaps//top', 403],
    ['/openapi//../metrics', 404],
    ['//metrics', 403],
    // slashes in disguise
    ['/api/v1/namespaces/shop%2fconfigmaps/mine', 403],
    ['/api/v1/namespaces/shop/configmaps/..%2f..%2fkube-system%2fconfigmaps%2ftop', 404],
    ['/api/v1/namespaces/shop%2f..%2fkube-system/configmaps/top', 403],
    ['/api/v1/namespaces/kube-system%2fconfigmaps/configmaps/top', 403],
    ['/api/v1/namespaces/shop/configmaps%2f..%2fsecrets/top', 403],
    // judged as a path below /api/, which all may ask for, and served as that
    ['/api%2fv1/namespaces/kube-system/configmaps/top', 404],
    ['/livez%2f..%2fmetrics', 404],
    ['/%6detrics', 403],
    // case, and characters that others fold
    ['/API/v1/namespaces/kube-system/configmaps/top', 403],
    ['/api/V1/namespaces/shop/configmaps/mine', 404],
    ['/api/v1/Namespaces/shop/configmaps/mine', 403],
    ['/api/v1/namespaces/SHOP/configmaps/mine', 403],
    ['/api/v1/namespaces/shop/ConfigMaps/mine', 403],
    ['/METRICS', 403],
    ['/api/v1/namespaces/shop/secrets;/configmaps/top', 403],
    ['/api/v1/namespaces/shop/configmaps/top%00', 404],
    ['/api/v1/namespaces/shop/configmaps\\..\\secrets/top', 403],
    // what cannot be decoded
    ['/api/v1/namespaces/shop/configmaps/%', 400],
    ['/api/v1/namespaces/shop/configmaps/%ff', 400],
    ['/api/v1/namespaces/shop/configmaps/%c0%af', 400],
    // other ways to the same object
    ['/api/v1/watch/namespaces/kube-system/configmaps/top', 403],
    ['/api/v1/namespaces/shop/configmaps?fieldSelector=metadata.namespace=kube-system', 200],
    ['/api/v1/namespaces/shop/configmaps/mine/status', 403],
  ]
  for (const [target, expected] of table) {
    const { status, text } = await look(server, target)
    t.equal(status, expected, target)
    t.notMatch(text, jewels, target)
  }
})

t.test('paths made of such pieces, by the thousand', async (t) => {
  const server = await prepare(t)
  const seed = Number(process.env['SEED'] ?? 20_261_121)
  t.comment(`SEED=${seed}`)
  const random = createRandom(seed)
  const words = [
    'api',
    'v1',
    'apis',
    'namespaces',
    'shop',
    'kube-system',
    'configmaps',
    'secrets',
    'top',
    'mine',
    'openapi',
    '..',
    '.',
    '',
    '%2e%2e',
    'status',
  ]
  const joints = ['/', '/', '/', '/', '//', '%2f', '%2F', '/./', '/../', '%252f', ';', '\\']
  let served = 0
  for (let at = 0; at < 3000; at++) {
    let target = random.pick(['/api/v1/namespaces/', '/', '/api/v1/', '/api/v1/namespaces/shop/'])
    const length = 1 + random.below(7)
    for (let word = 0; word < length; word++)
      target += `${word === 0 ? '' : random.pick(joints)}${random.pick(words)}`
    const { status, text } = await look(server, target)
    if (status === 200 && text.includes(bread)) served++
    if (text.includes(jewels) || status >= 500) t.fail(`${target} was answered ${status}`)
  }
  t.ok(served > 0, `jane saw her own ${served} times`)
})

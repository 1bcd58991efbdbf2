/** pods/proxy, services/proxy, nodes/proxy: what is behind them sees the request, and the client its answer. */

import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../src/server.ts'
import { type Backend, pod, pods, startScene } from './scene.ts'

const services = '/api/v1/namespaces/default/services'

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Notes what it hears and says so. */
function listener(): { readonly backend: Backend; readonly heard: Heard[] } {
  const heard: Heard[] = []
  return {
    heard,
    backend: {
      async request(request, response) {
        let body = ''
        for await (const chunk of request) body += chunk
        const { method, url, headers } = request
        heard.push({ method, url, headers, body })
        response.writeHead(url === '/teapot' ? 418 : 200, {
          'content-type': 'text/x-own',
          'access-control-allow-origin': '*',
          'x-several': ['a', 'b'],
          ...(url === '/moved' ? { location: '/elsewhere?x=1' } : {}),
          ...(url === '/left' ? { location: 'https://other.example/' } : {}),
        })
        response.end(`${method} ${url}`)
      },
    },
  }
}

async function startProxies(t: Test, options: Partial<ServerOptions> = {}) {
  const agent = listener()
  const plain = listener()
  const scene = await startScene(t, agent.backend, { plain: plain.backend, options })
  const { create, server } = scene
  const ready = async (name: string, ip: string) => {
    const answer = await server.request({
      method: 'PATCH',
      target: `${pods}/${name}/status`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { status: { podIP: ip, podIPs: [{ ip }] } },
    })
    t.equal(answer.status, 200)
  }
  await create(pods, {
    metadata: { name: 'web' },
    spec: { nodeName: 'one', containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 8080 }] }] },
  })
  await create(pods, pod('own', ['a']))
  await ready('web', '10.0.0.7')
  await ready('own', '127.0.0.1')
  const ports = [
    { name: 'http', port: 80 },
    { name: 'admin', port: 81 },
  ]
  await create(services, { metadata: { name: 'shop' }, spec: { ports } })
  await create(services, { metadata: { name: 'empty' }, spec: { ports } })
  for (const [name, subsets] of [
    [
      'shop',
      [
        {
          addresses: [{ ip: '10.0.0.7' }],
          ports: [
            { name: 'http', port: 8080 },
            { name: 'admin', port: 8081 },
          ],
        },
      ],
    ],
    ['empty', []],
  ] as const)
    await create('/api/v1/namespaces/default/endpoints', { metadata: { name }, subsets })
  return { ...scene, agent: agent.heard, plain: plain.heard }
}

t.test('where requests go', async (t) => {
  const { server, agent, plain } = await startProxies(t)
  const rows: readonly [target: string, to: 'agent' | 'plain', url: string][] = [
    [`${pods}/web/proxy/a/b%2Fc/?x=1&watch=1`, 'plain', '/a/b%2Fc/?x=1&watch=1'],
    [`${pods}/web:9090/proxy/`, 'plain', '/'],
    [`${pods}/http:web:/proxy/a`, 'plain', '/a'],
    [`${services}/shop:http/proxy/list`, 'plain', '/list'],
    [`${services}/shop:81/proxy/list`, 'plain', '/list'],
    ['/api/v1/nodes/one/proxy/metrics', 'agent', '/metrics'],
    ['/api/v1/nodes/https:one:/proxy/metrics', 'agent', '/metrics'],
  ]
  for (const [target, to, url] of rows) {
    const before = { agent: agent.length, plain: plain.length }
    const answer = await server.request({ method: 'GET', target })
    t.same([answer.status, answer.body.toString()], [200, `GET ${url}`], target)
    const heard = to === 'agent' ? agent : plain
    t.equal(heard.length, before[to] + 1, `${target}: ${to}`)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await server.request({
      method,
      target: `${pods}/web/proxy/x`,
      ...(method === 'DELETE' ? {} : { body: 'a body', headers: { 'content-type': 'text/plain' } }),
    })
    t.equal(answer.body.toString(), `${method} /x`)
    t.equal(plain.at(-1)?.body, method === 'DELETE' ? '' : 'a body')
  }
})

t.test('what either side sees of the other', async (t) => {
  const { server, plain } = await startProxies(t)
  const answer = await server.request({
    method: 'GET',
    target: `${pods}/web/proxy/teapot`,
    headers: {
      'x-own': 'yes',
      cookie: 'a=b',
      connection: 'x-hop',
      'x-hop': 'here only',
      te: 'trailers',
      'x-forwarded-for': '198.51.100.1',
      host: 'api.example',
    },
  })
  const { authorization, te, 'x-hop': hop, ...headers } = plain[0]?.headers ?? {}
  t.same(
    [authorization, te, hop],
    [undefined, undefined, undefined],
    'neither credential nor hop-by-hop headers',
  )
  t.match(headers, {
    'x-own': 'yes',
    cookie: 'a=b',
    'x-forwarded-for': '198.51.100.1, 192.0.2.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'api.example',
    'x-forwarded-uri': `${pods}/web/proxy/teapot`,
    host: /^127\.0\.0\.1:\d+$/,
  })
  t.equal(answer.status, 418)
  t.match(answer.headers, { 'content-type': /text\/x-own/, 'x-several': ['a', 'b'] })
  t.equal(answer.headers['access-control-allow-origin'], undefined)

  const locations: readonly [path: string, location: string][] = [
    ['/moved', `${pods}/web/proxy/elsewhere?x=1`],
    ['/left', 'https://other.example/'],
  ]
  for (const [path, location] of locations) {
    const moved = await server.request({ method: 'GET', target: `${pods}/web/proxy${path}` })
    t.same([moved.headers['location']].flat(), [location])
  }
  const bare = await server.request({ method: 'GET', target: `${pods}/web/proxy?x=1` })
  t.same([bare.status, bare.headers['location']], [301, `${pods}/web/proxy/?x=1`])
})

t.test('refusals', async (t) => {
  const { server, agent, plain } = await startProxies(t)
  const rows: readonly [target: string, status: number, message: string][] = [
    [`${pods}/absent/proxy/`, 404, 'pods "absent" not found'],
    [`${pods}/ftp:web:21/proxy/`, 400, 'invalid pod request "ftp:web:21"'],
    [`${pods}/own:6443/proxy/`, 400, 'address not allowed'],
    [`${pods}/single/proxy/`, 400, 'address not allowed'],
    [`${services}/a:b:c:d/proxy/`, 400, 'invalid service request "a:b:c:d"'],
    [`${services}/empty:http/proxy/`, 503, 'no endpoints available for service "empty"'],
    [`${services}/shop:none/proxy/`, 503, 'no service port "none" found for service "shop"'],
    ['/api/v1/nodes/two/proxy/', 404, 'nodes "two" not found'],
    ['/api/v1/nodes/:/proxy/', 400, 'invalid node request ":"'],
  ]
  for (const [target, status, message] of rows) {
    const answer = await server.request({ method: 'GET', target })
    t.equal(answer.status, status, target)
    t.equal(JSON.parse(answer.body.toString()).message, message)
  }
  const denied = await server.request({ method: 'GET', target: `${pods}/web/proxy/`, as: 'user' })
  t.match(JSON.parse(denied.body.toString()).message, /cannot get resource "pods\/proxy"/)
  t.same([agent, plain], [[], []], 'nobody was asked')
  const long = await server.request({
    method: 'POST',
    target: `${pods}/web/proxy/`,
    body: Buffer.alloc(32 * 1024 * 1024 + 1),
  })
  t.equal(long.status, 413)
})

t.test('admission policies judge connections', async (t) => {
  const { server, create, plain } = await startProxies(t)
  const policies = '/apis/admissionregistration.k8s.io/v1'
  await create(`${policies}/validatingadmissionpolicies`, {
    metadata: { name: 'no-secrets' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/proxy'] },
        ],
      },
      validations: [{ expression: 'request.operation == "CONNECT" && !object.path.startsWith("/secret")' }],
    },
  })
  await create(`${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: 'no-secrets' },
    spec: { policyName: 'no-secrets', validationActions: ['Deny'] },
  })
  const get = async (path: string): Promise<number> =>
    (await server.request({ method: 'GET', target: `${pods}/web/proxy${path}` })).status
  while ((await get('/secret/a')) !== 422) await new Promise((resolve) => setImmediate(resolve))
  const heard = plain.length
  t.equal(await get('/secret/b'), 422)
  t.equal(plain.length, heard)
  t.equal(await get('/public'), 200)
})

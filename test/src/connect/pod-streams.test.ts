/** pods/exec, attach and portforward over real TLS: what client and agent say to each other goes through. */

import { once } from 'node:events'
import { request as openRequest } from 'node:https'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { Exec, KubeConfig, type V1Status } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { WebSocketServer } from 'ws'
import { adminToken, userToken } from '../../support/in-process-server.ts'
import { createTlsFixture } from '../../workers/tls-fixture.ts'
import { serveNode } from '../../workers/transports.ts'
import { type Backend, pods, startScene, until } from './scene.ts'

interface Asked {
  readonly target: string
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Answered =
  | { readonly type: 'changed'; readonly headers: NodeJS.Dict<string | string[]>; readonly socket: Socket }
  | { readonly type: 'refused'; readonly status: number; readonly text: string }

/** The server behind a listener with TLS, and a client that asks it for another protocol. */
async function startTunnels(t: Test, agent: Backend) {
  const scene = await startScene(t, agent)
  const { tls, ca } = await createTlsFixture()
  const listener = await serveNode(scene.server.api.handler, tls)
  t.teardown(() => {
    const closed = listener.close()
    listener.destroy()
    return closed
  })
  const ask = ({ target, method = 'POST', token = adminToken, headers = {} }: Asked): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const sent = openRequest({
        host: '127.0.0.1',
        port: listener.port,
        ca,
        agent: false,
        method,
        path: target,
        headers: {
          connection: 'Upgrade',
          upgrade: 'SPDY/3.1',
          authorization: `Bearer ${token}`,
          'x-stream-protocol-version': 'v4.channel.example',
          ...headers,
        },
      })
      sent.once('upgrade', (answer, socket: Socket, head) => {
        t.teardown(() => socket.destroy())
        if (head.length > 0) socket.unshift(head)
        resolve({ type: 'changed', headers: answer.headers, socket })
      })
      sent.once('response', async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ type: 'refused', status: answer.statusCode ?? 0, text })
      })
      sent.once('error', reject)
      sent.end()
    })
  return { ...scene, ask, listener, ca }
}

/** Agrees, and gives back in capitals what it is told. */
const shouting: Backend = {
  upgrade(request, socket, head) {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Said: ${request.headers['x-stream-protocol-version']}\r\n\r\nhello\n`,
    )
    if (head.length > 0) socket.unshift(head)
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()))
    socket.on('end', () => socket.end())
  },
}

async function readLine(socket: Socket): Promise<string> {
  let text = ''
  while (!text.endsWith('\n')) {
    const [chunk] = await once(socket, 'data')
    text += chunk
  }
  return text
}

t.test('what is asked of the agent', async (t) => {
  const { ask, seen } = await startTunnels(t, shouting)
  const rows: readonly [target: string, asked: string][] = [
    [
      `${pods}/single/exec?command=sh&command=-c&command=ls%20/&stdin=true&stdout=1&stderr=false&tty=true`,
      '/exec/default/single/main?input=1&output=1&tty=1&command=sh&command=-c&command=ls+%2F',
    ],
    [`${pods}/several/exec?container=b&command=ls&stdout`, '/exec/default/several/b?output=1&command=ls'],
    [`${pods}/several/attach?container=setup&stderr=true`, '/attach/default/several/setup?error=1'],
    [`${pods}/single/portforward`, '/portForward/default/single'],
    [`${pods}/single/portforward?ports=80,443&ports=x`, '/portForward/default/single?port=80&port=443'],
  ]
  for (const [target, asked] of rows) {
    const answer = await ask({ target })
    if (answer.type !== 'changed') throw new Error(answer.text)
    t.equal(seen.at(-1), `POST ${asked}`)
    t.match(answer.headers, { upgrade: 'SPDY/3.1', 'x-said': 'v4.channel.example' })
    t.equal(await readLine(answer.socket), 'hello\n')
    answer.socket.write('ping\n')
    t.equal(await readLine(answer.socket), 'PING\n')
    answer.socket.end()
    await once(answer.socket, 'close')
  }
})

t.test('refusals', async (t) => {
  const { ask, seen, server } = await startTunnels(t, shouting)
  const rows: readonly [asked: Asked, status: number, message: string | RegExp][] = [
    [{ target: `${pods}/absent/exec` }, 404, 'pods "absent" not found'],
    [{ target: `${pods}/lost/exec?command=ls` }, 404, 'nodes "nowhere" not found'],
    [{ target: `${pods}/waiting/exec?command=ls` }, 400, 'pod waiting does not have a host assigned'],
    [
      { target: `${pods}/several/attach` },
      400,
      'a container name must be specified for pod several, choose one of: [a b] or one of the init containers: [setup]',
    ],
    [{ target: `${pods}/several/exec?container=c` }, 400, 'container c is not valid for pod several'],
    [
      { target: `${pods}/single/exec?command=ls`, token: userToken },
      403,
      'pods "single" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "default"',
    ],
    [{ target: `${pods}/single/exec?command=ls`, token: 'nobody' }, 401, 'Unauthorized'],
    [{ target: `${pods}/single/exec?command=ls`, method: 'DELETE' }, 405, /not allow/],
  ]
  for (const [asked, status, message] of rows) {
    const answer = await ask(asked)
    if (answer.type !== 'refused') throw new Error('it was agreed to')
    t.equal(answer.status, status)
    t.match(JSON.parse(answer.text).message, message)
  }
  const plain = await server.request({ method: 'POST', target: `${pods}/single/exec?command=ls` })
  t.match(JSON.parse(plain.body.toString()), { code: 400, message: 'Upgrade request required' })
  t.same(seen, [], 'no agent was asked')
  t.same(server.api.inFlight(), { requests: 0, watches: 0 })
})

t.test('an agent that refuses is heard', async (t) => {
  const { ask, server } = await startTunnels(t, {
    request(_request, response) {
      response.writeHead(403, { 'content-type': 'text/plain', 'x-why': 'policy' })
      response.end('not here')
    },
  })
  const answer = await ask({ target: `${pods}/single/exec?command=ls` })
  t.same(answer, { type: 'refused', status: 403, text: 'not here' })
  await until(() => server.api.inFlight().watches === 0)
})

t.test('ends', async (t) => {
  const agents: Socket[] = []
  const { ask, server } = await startTunnels(t, {
    upgrade(request, socket, head) {
      agents.push(socket)
      shouting.upgrade?.(request, socket, head)
    },
  })
  const open = async (): Promise<Socket> => {
    const answer = await ask({ target: `${pods}/single/exec?command=ls` })
    if (answer.type !== 'changed') throw new Error(answer.text)
    t.equal(await readLine(answer.socket), 'hello\n')
    return answer.socket
  }
  await t.test('the client goes', async (t) => {
    const socket = await open()
    t.equal(server.api.inFlight().watches, 1)
    const closed = once(agents.at(-1) ?? socket, 'close')
    socket.destroy()
    await closed
    await until(() => server.api.inFlight().watches === 0)
    t.pass('the agent and the counts know')
  })
  await t.test('the agent goes', async (t) => {
    const socket = await open()
    agents.at(-1)?.destroy()
    socket.on('error', () => {}).resume()
    await once(socket, 'close')
    await until(() => server.api.inFlight().watches === 0)
    t.pass('the client and the counts know')
  })
  await t.test('the server stops', async (t) => {
    const socket = await open()
    const gone = once(socket.on('error', () => {}).resume(), 'close')
    await server.api.close()
    await gone
    t.pass('the client knows')
  })
})

t.test('a client over WebSocket', async (t) => {
  const protocols: (string | undefined)[] = []
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered][0] ?? false,
  })
  const { listener, ca } = await startTunnels(t, {
    upgrade(request, socket, head) {
      protocols.push(request.headers['sec-websocket-protocol'])
      t.equal(request.headers.authorization, undefined, 'the credential stays here')
      sockets.handleUpgrade(request, socket, head, (peer) => {
        peer.send(Buffer.from('\x01to stdout'))
        peer.send(Buffer.from(`\x03${JSON.stringify({ status: 'Success', metadata: {} })}`))
        peer.close()
      })
    },
  })
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [
      { name: 'a', server: `https://localhost:${listener.port}`, caData: Buffer.from(ca).toString('base64') },
    ],
    users: [{ name: 'a', token: adminToken }],
    contexts: [{ name: 'a', cluster: 'a', user: 'a' }],
    currentContext: 'a',
  })
  const stdout = new PassThrough()
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec('default', 'single', 'main', ['ls'], stdout, null, null, false, resolve)
      .catch(reject)
  })
  t.equal(status.status, 'Success')
  t.equal(String(stdout.read()), 'to stdout')
  t.match(protocols[0], /channel\.k8s\.io/)
})

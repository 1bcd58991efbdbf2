import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { type ClientOptions, WebSocket } from 'ws'
import { revision } from '../../store/contract.ts'
import { listenNode } from '../../workers/http/node.ts'
import type { TlsMaterial } from '../../workers/http/tls-material.ts'
import { listenUws } from '../../workers/http/uws.ts'
import { loadUws, type UwsLibrary } from '../../workers/http/uws-library.ts'
import { eventually } from '../support/eventually.ts'
import { adminToken, startInProcess, userToken } from '../support/in-process-server.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { listening } from './transports.ts'

const fixture = await createTlsFixture()
const admin = { authorization: `Bearer ${adminToken}` }
const maps = '/api/v1/namespaces/default/configmaps'

const ownWatches = /^apiserver_longrunning_requests\{.*resource="configmaps".*scope="namespace"/

async function start(t: Test, tls: TlsMaterial | undefined, uws: UwsLibrary | undefined) {
  const server = await startInProcess()
  const options = {
    host: '127.0.0.1',
    port: 0,
    handler: server.api.handler,
    onHandlerError: (error: unknown) => void t.fail(String(error)),
  }
  const listener = await listening(
    uws === undefined
      ? listenNode({ ...options, ...(tls === undefined ? {} : { tls }) })
      : listenUws({ ...options, library: uws }),
  )
  t.teardown(async () => {
    const closed = listener.close()
    listener.destroy()
    await closed
    await server.close()
  })
  const host = `127.0.0.1:${listener.port}`
  const open = (target: string, protocols: string[], options: ClientOptions = {}): Client =>
    new Client(
      new WebSocket(`${tls === undefined ? 'ws' : 'wss'}://${host}${target}`, protocols, {
        ca: fixture.ca,
        ...options,
      }),
    )
  const create = async (name: string, labels = {}, data = {}): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data }
    const { status } = await server.request({ method: 'POST', target: maps, body })
    if (status !== 201) throw new Error(`created with ${status}`)
  }
  /** Of one namespace: the server's own watches are of all. */
  const watchesAre = (count: number): Promise<void> =>
    eventually(`${count} watches`, async () => {
      const text = await server.api.metricsText()
      const lines = text.split('\n').filter((line) => ownWatches.test(line))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0) === count
    })
  return { server, listener, host, open, create, watchesAre }
}

interface Refused {
  readonly status: number
  readonly body: string
}

/** What a client sees, in order. */
class Client {
  readonly socket: WebSocket
  readonly ended: Promise<number>
  readonly refused: Promise<Refused>
  readonly #messages: { readonly data: Buffer; readonly isBinary: boolean }[] = []
  #wake = (): void => {}

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      this.#messages.push({ data, isBinary })
      this.#wake()
    })
    socket.on('error', () => {})
    this.ended = new Promise((resolve) => socket.once('close', resolve))
    this.refused = new Promise((resolve) =>
      socket.once('unexpected-response', (_, answer: IncomingMessage) => {
        let body = ''
        answer.on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      }),
    )
  }

  async message(): Promise<{ readonly data: Buffer; readonly isBinary: boolean }> {
    for (;;) {
      const message = this.#messages.shift()
      if (message !== undefined) return message
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** `ADDED a`, from one text message. */
  async event(): Promise<string> {
    const { data, isBinary } = await this.message()
    if (isBinary) throw new Error('a binary message')
    const { type, object } = JSON.parse(data.toString('utf8'))
    return `${type} ${object.metadata?.name ?? object.code}`
  }
}

function dropped(count: number): RegExp {
  return new RegExp(`^apiserver_terminated_watchers_total\\{resource="configmaps"\\} ${count}$`, 'm')
}

function tokenProtocol(token: string): string {
  return `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
}

const loaded = loadUws()

for (const [name, tls, uws] of [
  ['plaintext', undefined, undefined],
  ['TLS', fixture.tls, undefined],
  ...(loaded.type === 'loaded' ? [['uWebSockets.js', undefined, loaded.library] as const] : []),
] as const) {
  t.test(`watches over WebSocket, ${name}`, async (t) => {
    const { open, create, listener, server, watchesAre, host } = await start(t, tls, uws)
    await create('kube-a', { app: 'one' })

    t.test('events and bookmarks, one text message each, as they come', async (t) => {
      const target = `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name!%3Dkube-root-ca.crt`
      const client = open(target, [], { headers: admin })
      t.equal(await client.event(), 'ADDED kube-a')
      t.match(await client.event(), /^BOOKMARK/)
      await create('b')
      t.equal(await client.event(), 'ADDED b')
      const { status } = await server.request({ method: 'DELETE', target: `${maps}/b` })
      t.equal(status, 200)
      t.equal(await client.event(), 'DELETED b')
      t.equal(client.socket.protocol, '')
      client.socket.close()
      t.equal(await client.ended, 1005)
      await watchesAre(0)
    })

    t.test('selectors', async (t) => {
      const client = open(`${maps}?watch=true&labelSelector=app%3Done`, ['binary.k8s.io'], { headers: admin })
      t.equal(await client.event(), 'ADDED kube-a')
      await create('c', { app: 'two' })
      await create('d', { app: 'one' })
      t.equal(await client.event(), 'ADDED d')
      t.equal(client.socket.protocol, 'binary.k8s.io')
      client.socket.terminate()
      await watchesAre(0)
    })

    t.test('a protobuf watch: binary messages without length prefixes', async (t) => {
      const headers = { ...admin, accept: 'application/vnd.kubernetes.protobuf;stream=watch' }
      const client = open(`${maps}?watch=1&fieldSelector=metadata.name%3Dkube-a`, [], { headers })
      const { data, isBinary } = await client.message()
      t.equal(isBinary, true)
      t.equal(data.subarray(0, 8).toString('latin1'), '\n\x05ADDED\x12', 'a WatchEvent')
      client.socket.terminate()
    })

    t.test('a message longer than 64 KiB and one longer than 125 bytes are whole', async (t) => {
      const client = open(`${maps}?watch=1&labelSelector=size`, [], { headers: admin })
      await create('large', { size: 'large' }, { text: 'x'.repeat(70_000) })
      const { data } = await client.message()
      t.equal(JSON.parse(data.toString('utf8')).object.data.text.length, 70_000)
      await create('small', { size: 'small' })
      t.equal(await client.event(), 'ADDED small')
      client.socket.terminate()
    })

    t.test('timeoutSeconds ends it with 1000', async (t) => {
      t.equal(await open(`${maps}?watch=1&timeoutSeconds=1`, [], { headers: admin }).ended, 1000)
    })

    t.test('pings are answered, messages are passed over, long ones end the connection', async (t) => {
      const client = open(`${maps}?watch=1&labelSelector=app%3Dnone`, [], { headers: admin })
      await new Promise((resolve) => client.socket.once('open', resolve))
      const pong = new Promise((resolve) => client.socket.once('pong', resolve))
      client.socket.send('who reads this?')
      client.socket.ping('here')
      t.equal(String(await pong), 'here')
      client.socket.send(Buffer.alloc(20_000))
      t.equal(await client.ended, 1009)
      await watchesAre(0)
    })

    t.test('the token as a subprotocol: never the one that is agreed on', async (t) => {
      const one = `${maps}?watch=1&fieldSelector=metadata.name%3Dkube-a`
      for (const protocols of [
        [tokenProtocol(adminToken), 'base64.binary.k8s.io'],
        ['base64.binary.k8s.io', tokenProtocol(adminToken)],
      ]) {
        const client = open(one, protocols, { origin: 'https://elsewhere.example' })
        t.equal(await client.event(), 'ADDED kube-a')
        t.equal(client.socket.protocol, 'base64.binary.k8s.io')
        client.socket.terminate()
      }
      const wrong = [
        [tokenProtocol(adminToken)],
        [tokenProtocol('nobody'), 'binary.k8s.io'],
        ['base64url.bearer.authorization.k8s.io.***', 'binary.k8s.io'],
        ['base64url.bearer.authorization.k8s.io.', 'binary.k8s.io'],
        ['base64url.bearer.authorization.k8s.io._w', 'binary.k8s.io'],
        [tokenProtocol(adminToken), tokenProtocol(userToken), 'binary.k8s.io'],
      ]
      for (const protocols of wrong) {
        t.match(await open(one, protocols).refused, { status: 401, body: /"reason":"Unauthorized"/ })
      }
    })

    t.test('errors before the stream are HTTP answers', async (t) => {
      const rows: readonly [
        target: string,
        headers: ClientOptions['headers'],
        status: number,
        body: RegExp,
      ][] = [
        [`${maps}?watch=1`, { authorization: 'Bearer nobody' }, 401, /"reason":"Unauthorized"/],
        [`${maps}?watch=1`, { authorization: `Bearer ${userToken}` }, 403, /"reason":"Forbidden"/],
        [`${maps}?watch=1&labelSelector=%2C%2C`, admin, 400, /"reason":"BadRequest"/],
        ['/api/v1/nothings?watch=1', admin, 404, /"code":404/],
        [maps, admin, 400, /only a watch is served over WebSocket/],
        [`${maps}?watch=0`, admin, 400, /only a watch is served over WebSocket/],
      ]
      for (const [target, headers, status, body] of rows) {
        t.match(await open(target, [], { ...(headers && { headers }) }).refused, { status, body }, target)
      }
    })

    t.test('a version that is gone is an ERROR event, then the end', async (t) => {
      const { body } = await server.request({ method: 'GET', target: `${maps}/kube-a` })
      const { resourceVersion } = JSON.parse(body.toString('utf8')).metadata
      const compacted = await server.store.compact(revision(Number(resourceVersion)))
      t.equal(compacted.ok, true)
      const client = open(`${maps}?watch=1&resourceVersion=1`, [], { headers: admin })
      t.equal(await client.event(), 'ERROR 410')
      t.equal(await client.ended, 1000)
    })

    t.test('origins', async (t) => {
      const scheme = tls === undefined ? 'http' : 'https'
      const withoutToken =
        tls === undefined ? {} : { cert: fixture.client.certificate, key: fixture.client.privateKey }
      const rows: readonly [origin: string, status: number][] = [
        ['https://elsewhere.example', 403],
        ['null', 403],
        [`${scheme}://127.0.0.1`, 403],
        [`${scheme}://127.0.0.1.evil.example:${listener.port}`, 403],
      ]
      for (const [origin, status] of rows) {
        const { refused } = open(`${maps}?watch=1`, [], { ...withoutToken, origin })
        t.match(await refused, { status, body: /page of another origin/ }, origin)
      }
      const own = await open(`${maps}?watch=1`, [], { ...withoutToken, origin: `${scheme}://${host}` })
        .refused
      const who = tls === undefined ? /system:anonymous/ : /\\"jane\\"/
      t.match(own, { status: 403, body: who }, 'comes as far as authorization, as who it is')
      const withToken = open(`${maps}?watch=1&fieldSelector=metadata.name%3Dkube-a`, [], {
        headers: admin,
        origin: 'https://elsewhere.example',
      })
      t.equal(await withToken.event(), 'ADDED kube-a')
      withToken.socket.terminate()
    })

    t.test('who does not read is dropped as too slow', async (t) => {
      const client = open(`${maps}?watch=1&labelSelector=app%3Dflood`, [], { headers: admin })
      await new Promise((resolve) => client.socket.once('open', resolve))
      client.socket.pause()
      await watchesAre(1)
      t.match(await server.api.metricsText(), dropped(0))
      const data = { text: 'x'.repeat(900_000) }
      for (let i = 0; i < 40; i++) {
        await create(`flood-${i}`, { app: 'flood' }, data)
        const { status } = await server.request({ method: 'DELETE', target: `${maps}/flood-${i}` })
        t.equal(status, 200)
      }
      await watchesAre(0)
      t.match(await server.api.metricsText(), dropped(1))
      client.socket.terminate()
    })

    t.test('the end of the server is told with 1001', async (t) => {
      const client = open(`${maps}?watch=1&labelSelector=app%3Dnone`, [], { headers: admin })
      await new Promise((resolve) => client.socket.once('open', resolve))
      const closed = listener.close()
      await server.api.close()
      t.equal(await client.ended, 1001)
      await closed
    })
  })
}

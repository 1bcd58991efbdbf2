import { connect as connectPlain } from 'node:net'
import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import t from 'tap'
import type { Exchange, Handler } from '../../src/pipeline/exchange.ts'
import type { Listener } from '../../workers/http/listener.ts'
import { listenNode } from '../../workers/http/node.ts'
import type { KeyPair } from '../../workers/pki/issue.ts'
import { RawClient } from './raw-client.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { transportSuite } from './transport-suite.ts'
import { connected, listening } from './transports.ts'

const fixture = await createTlsFixture()

function listen(handler: Handler): Promise<Listener> {
  return listening(
    listenNode({ host: '127.0.0.1', port: 0, tls: fixture.tls, handler, onHandlerError: () => {} }),
  )
}

interface Dial {
  readonly keys?: KeyPair
  readonly version?: SecureVersion
  readonly session?: Buffer
}

function dial(port: number, { keys, version, session }: Dial = {}): TLSSocket {
  return connect({
    port,
    host: '127.0.0.1',
    ca: fixture.ca,
    ...(keys === undefined ? {} : { cert: keys.certificate, key: keys.privateKey }),
    ...(version === undefined ? {} : { minVersion: version, maxVersion: version }),
    ...(session === undefined ? {} : { session }),
  })
}

transportSuite(t, {
  complete: true,
  listen,
  connect: (port) => connected(dial(port), 'secureConnect'),
})

function whoAmI(exchange: Exchange): void {
  const peer = exchange.peerCertificate
  const text =
    peer === undefined
      ? 'nobody'
      : `${peer.commonName} of ${peer.organizations.join('+')} ${/^[0-9a-f]{64}$/.test(peer.fingerprint256)}`
  exchange.respond(200, {}, Buffer.from(`${text}, secure ${exchange.secure}`))
}

t.test('client certificates', async (t) => {
  const listener = await listen(whoAmI)
  t.teardown(() => {
    listener.destroy()
    return listener.close()
  })
  const rows: readonly [
    name: string,
    keys: KeyPair | undefined,
    headers: string[],
    status: number,
    body: RegExp,
  ][] = [
    ['none', undefined, [], 200, /^nobody, secure true$/],
    ['of the client CA', fixture.client, [], 200, /^jane of developers true, secure true$/],
    ['of another CA', fixture.stranger, [], 401, /"reason":"Unauthorized"/],
    ['expired', fixture.expired, [], 401, /"reason":"Unauthorized"/],
    ['of another CA, beside a token', fixture.stranger, ['authorization: Bearer x'], 200, /^nobody/],
  ]
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (const [name, keys, headers, status, body] of rows) {
      const socket = dial(listener.port, { version, ...(keys === undefined ? {} : { keys }) })
      const client = new RawClient(await connected(socket, 'secureConnect'))
      for (const round of ['first', 'second'] as const) {
        client.ask('GET', '/', ...headers)
        t.match(await client.answer(), { status, body }, `${name}, ${version}, ${round} request`)
      }
      client.socket.destroy()
    }
  }
})

t.test('a TLS session is resumed by another worker, and the client stays who it is', async (t) => {
  const [first, second] = await Promise.all([listen(whoAmI), listen(whoAmI)])
  t.teardown(async () => {
    for (const one of [first, second]) {
      one.destroy()
      await one.close()
    }
  })
  const socket = dial(first.port, { keys: fixture.client })
  const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve))
  const client = new RawClient(await connected(socket, 'secureConnect'))
  client.ask('GET', '/')
  t.match((await client.answer()).body, 'jane')
  const session = await ticket
  socket.destroy()
  const again = dial(second.port, { keys: fixture.client, session })
  const resumed = new RawClient(await connected(again, 'secureConnect'))
  t.equal(again.isSessionReused(), true)
  resumed.ask('GET', '/')
  t.match((await resumed.answer()).body, 'jane of developers true')
  again.destroy()
})

t.test('plaintext on the TLS port ends that connection alone', async (t) => {
  const listener = await listen(whoAmI)
  t.teardown(() => {
    listener.destroy()
    return listener.close()
  })
  const plain = new RawClient(await connected(connectPlain(listener.port, '127.0.0.1')))
  plain.ask('GET', '/')
  await plain.rest()
  const client = new RawClient(await connected(dial(listener.port), 'secureConnect'))
  client.ask('GET', '/')
  t.equal((await client.answer()).status, 200)
  client.socket.destroy()
})

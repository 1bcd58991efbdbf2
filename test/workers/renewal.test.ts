/** Certificates and CAs that are replaced in their files while the server runs. */

import { writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { followMs } from '../../src/config/follow-file.ts'
import type { Exchange } from '../../src/pipeline/exchange.ts'
import { listenNode } from '../../workers/http/node.ts'
import type { TlsMaterial } from '../../workers/http/tls-material.ts'
import type { KeyPair } from '../../workers/pki/issue.ts'
import { followRenewals, type Renewable, type RenewableFiles } from '../../workers/renewal.ts'
import { eventually } from '../support/eventually.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { startServerProcess, temporaryDirectory } from '../support/server-process.ts'
import { createTestAuthority, outsideWith, validNow } from '../support/tls-service.ts'
import { RawClient } from './raw-client.ts'
import { connected, listening } from './transports.ts'

const [first, second] = await Promise.all([createTestAuthority('first'), createTestAuthority('second')])
const clientOf = ({ issuer, ca }: typeof first, commonName: string): Promise<KeyPair> =>
  issuer.client(ca, { commonName, organizations: [] }, validNow())
const [jane, anna] = [await clientOf(first, 'jane'), await clientOf(second, 'anna')]

const tlsOf = (serving: KeyPair, clientCa: KeyPair): TlsMaterial => ({
  certificate: serving.certificate,
  privateKey: serving.privateKey,
  clientCa: clientCa.certificate,
  ticketKeys: Buffer.alloc(48, 1),
})

function whoAmI(exchange: Exchange): void {
  exchange.respond(200, {}, Buffer.from(exchange.peerCertificate?.commonName ?? 'nobody'))
}

async function listenerOf(t: Tap, tls: TlsMaterial) {
  const listener = await listening(
    listenNode({ host: '127.0.0.1', port: 0, tls, handler: whoAmI, onHandlerError: () => {} }),
  )
  t.teardown(() => {
    listener.destroy()
    return listener.close()
  })
  return listener
}

type Tap = Pick<typeof t, 'teardown'>

async function dial(t: Tap, port: number, keys: KeyPair, session?: Buffer): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    cert: keys.certificate,
    key: keys.privateKey,
    ...(session === undefined ? {} : { session }),
  })
  t.teardown(() => socket.destroy())
  await connected(socket, 'secureConnect')
  return socket
}

async function asked(client: RawClient): Promise<string> {
  client.ask('GET', '/')
  const { status, body } = await client.answer()
  return status === 200 ? body : String(status)
}

t.test('a listener with another certificate: connections go on, new ones see it', async (t) => {
  const listener = await listenerOf(t, tlsOf(first.serving, first.ca))
  const before = await dial(t, listener.port, jane)
  const client = new RawClient(before)
  t.equal(await asked(client), 'jane')
  listener.setTls(tlsOf(second.serving, first.ca))
  t.equal(await asked(client), 'jane', 'on the connection from before')
  const after = await dial(t, listener.port, jane)
  t.not(after.getPeerCertificate().fingerprint256, before.getPeerCertificate().fingerprint256)
  t.equal(await asked(new RawClient(after)), 'jane')
})

t.test('a listener with another CA, over HTTP/1.1', async (t) => {
  const listener = await listenerOf(t, tlsOf(first.serving, first.ca))
  const socket = await dial(t, listener.port, jane)
  const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve))
  const client = new RawClient(socket)
  t.equal(await asked(client), 'jane')
  const session = await ticket
  const stranger = new RawClient(await dial(t, listener.port, anna))
  t.equal(await asked(stranger), '401')
  listener.setTls({ ...tlsOf(first.serving, second.ca), ticketKeys: Buffer.alloc(48, 2) })
  t.equal(await asked(client), '401', 'the connection counts no more')
  t.equal(await client.rest(), '', 'and ends, so that the client comes again')
  t.equal(await asked(stranger), '401', 'what was refused in the handshake stays so on that connection')
  const again = await dial(t, listener.port, jane, session)
  t.equal(again.isSessionReused(), false, 'no session leads around it')
  t.equal(await asked(new RawClient(again)), '401')
  t.equal(await asked(new RawClient(await dial(t, listener.port, anna))), 'anna')
  const both = { ...first.ca, certificate: first.ca.certificate + second.ca.certificate }
  listener.setTls({ ...tlsOf(first.serving, both), ticketKeys: Buffer.alloc(48, 3) })
  for (const [keys, name] of [
    [jane, 'jane'],
    [anna, 'anna'],
  ] as const) {
    t.equal(await asked(new RawClient(await dial(t, listener.port, keys))), name, 'a bundle of both')
  }
})

t.test('a listener with another CA, over HTTP/2', async (t) => {
  const listener = await listenerOf(t, tlsOf(first.serving, first.ca))
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, {
    rejectUnauthorized: false,
    cert: jane.certificate,
    key: jane.privateKey,
  })
  const ended = new Promise<void>((resolve) => session.once('close', resolve))
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/' })
      stream.on('error', reject)
      stream.on('response', (headers) => resolve(headers[':status'] ?? 0))
      stream.resume()
    })
  t.equal(await ask(), 200)
  const bundle = { ...first.ca, certificate: second.ca.certificate + first.ca.certificate }
  listener.setTls(tlsOf(first.serving, bundle))
  t.equal(await ask(), 200, 'the old CA is still there')
  listener.setTls(tlsOf(first.serving, second.ca))
  t.equal(await ask(), 401)
  await ended
})

interface Followed {
  readonly files: Map<string, string>
  readonly seen: Renewable[]
  readonly logged: string[]
  /** Lets the files be read again. */
  look(): Promise<void>
}

function follow(t: Tap, options: Partial<RenewableFiles>, first: Renewable, texts: Files): Followed {
  const files = new Map(Object.entries(texts))
  const [seen, logged]: [Renewable[], string[]] = [[], []]
  const clock = createManualClock()
  const log = (_: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void logged.push(`${String(fields['path'])}: ${String(fields['reason'] ?? 'taken over')}`)
  const followed = followRenewals({
    files: {
      tlsFiles: undefined,
      clientCaFile: undefined,
      requestHeaderCaFile: undefined,
      clusterSigning: { source: { type: 'own' } },
      ...options,
    },
    first,
    outside: outsideWith(files),
    clock,
    log: { error: log, warn: log, info: log, debug: log },
    randomBytes: (count) => Buffer.alloc(count, seen.length + 10),
    renewed: (all) => void seen.push(all),
  })
  followed.start()
  t.teardown(() => followed.close())
  return {
    files,
    seen,
    logged,
    async look() {
      clock.advance(followMs)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

type Files = Readonly<Record<string, string>>

t.test('the files behind the listeners', async (t) => {
  const start: Renewable = { tls: tlsOf(first.serving, first.ca), clusterSigning: undefined }
  const { files, seen, logged, look } = follow(
    t,
    {
      tlsFiles: { certificate: 'tls.crt', privateKey: 'tls.key' },
      clientCaFile: 'ca.crt',
      requestHeaderCaFile: 'proxy.crt',
    },
    { ...start, tls: { ...start.tls, proxyCa: second.ca.certificate } },
    {
      'tls.crt': first.serving.certificate,
      'tls.key': first.serving.privateKey,
      'ca.crt': first.ca.certificate,
      'proxy.crt': second.ca.certificate,
    },
  )
  await look()
  t.same([seen, logged], [[], []], 'nothing has changed')

  files.set('tls.crt', second.serving.certificate)
  await look()
  t.equal(seen.length, 0)
  t.match(logged.pop(), /tls.key: .*is not the private key of tls.crt/, 'half a pair is not used')
  files.set('tls.key', second.serving.privateKey)
  await look()
  t.match(seen.pop()?.tls, {
    ...second.serving,
    clientCa: first.ca.certificate,
    ticketKeys: Buffer.alloc(48, 1),
  })
  t.equal(logged.pop(), 'tls.crt, tls.key: taken over')

  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ['empty', '', 'ca.crt: data does not contain any valid RSA or ECDSA certificates'],
    ['damaged', first.ca.certificate.replace('MII', '***'), 'ca.crt: data does not contain'],
    ['gone', undefined, 'ca.crt: does not exist'],
  ]
  for (const [what, text, line] of rows) {
    if (text === undefined) files.delete('ca.crt')
    else files.set('ca.crt', text)
    await look()
    await look()
    t.equal(seen.length, 0, what)
    t.ok(logged.pop()?.startsWith(line), what)
    t.equal(logged.length, 0, 'said once')
  }
  files.set('ca.crt', second.ca.certificate)
  files.set('proxy.crt', first.ca.certificate)
  await look()
  t.match(seen.at(-1)?.tls, {
    ...second.serving,
    clientCa: second.ca.certificate,
    proxyCa: first.ca.certificate,
  })
  t.not(seen.at(-1)?.tls.ticketKeys?.[0], 1, 'sessions of other CAs are not resumed')
})

t.test('the files of those who sign certificate requests', async (t) => {
  const cas = { 'kubelet-client': first.ca, 'kubelet-serving': first.ca }
  const start: Renewable = { tls: tlsOf(first.serving, first.ca), clusterSigning: { cas, durationMs: 1 } }
  const pair = { certificate: 'a.crt', privateKey: 'a.key' }
  const other = { certificate: 'b.crt', privateKey: 'b.key' }
  const texts = {
    'a.crt': first.ca.certificate,
    'a.key': first.ca.privateKey,
    'b.crt': first.ca.certificate,
    'b.key': first.ca.privateKey,
  }
  const specific = { type: 'specific', files: { 'kubelet-client': pair, 'kubelet-serving': other } } as const
  const { files, seen, logged, look } = follow(t, { clusterSigning: { source: specific } }, start, texts)
  files.set('b.crt', second.serving.certificate)
  files.set('b.key', second.serving.privateKey)
  await look()
  t.match(logged.pop(), 'the certificate is not one of a CA')
  files.set('b.crt', second.ca.certificate)
  files.set('b.key', second.ca.privateKey)
  await look()
  t.same(seen.pop()?.clusterSigning, {
    durationMs: 1,
    cas: { 'kubelet-client': first.ca, 'kubelet-serving': { ...second.ca } },
  })
  const common = follow(
    t,
    { clusterSigning: { source: { type: 'common', files: pair } } },
    { ...start, clusterSigning: { cas: { ...cas, 'legacy-unknown': first.ca }, durationMs: 1 } },
    texts,
  )
  common.files.set('a.crt', second.ca.certificate)
  common.files.set('a.key', second.ca.privateKey)
  await common.look()
  const renewed = Object.values(common.seen.pop()?.clusterSigning?.cas ?? {})
  t.equal(renewed.length, 4)
  t.ok(renewed.every(({ certificate }) => certificate === second.ca.certificate))
})

t.test('two worker processes, one file', async (t) => {
  const caFile = join(temporaryDirectory(t), 'client-ca.crt')
  writeFileSync(caFile, first.ca.certificate)
  const { port, output } = await startServerProcess(t, {
    args: ['--workers', '2', '--client-ca-file', caFile],
  })
  const status = async (keys: KeyPair): Promise<string> => {
    const socket = await dial(t, port, keys)
    const client = new RawClient(socket)
    client.ask('GET', '/api')
    const { status: answered } = await client.answer()
    socket.destroy()
    return String(answered)
  }
  /** Connections go to the workers in turn. */
  const ofAll = async (keys: KeyPair): Promise<string> =>
    [await status(keys), await status(keys), await status(keys), await status(keys)].join(' ')
  t.equal(await ofAll(jane), '200 200 200 200')
  t.equal(await ofAll(anna), '401 401 401 401')
  writeFileSync(caFile, 'nonsense')
  await eventually('the complaint', () => output().includes('a file was not taken over'))
  t.equal(await ofAll(jane), '200 200 200 200')
  writeFileSync(caFile, second.ca.certificate)
  await eventually('the other CA', async () => (await ofAll(anna)) === '200 200 200 200')
  t.equal(await ofAll(jane), '401 401 401 401')
})

/** Between members: TLS, strangers, other clusters, connections that break. */

import { connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { openMember } from '../../../store/member/open.ts'
import { parseAddress, parseInitialCluster } from '../../../store/peers/address.ts'
import { freePorts } from '../../../workers/cluster/free-ports.ts'
import { eventually } from '../../support/eventually.ts'
import { prepareGroup, startGroup } from '../group.ts'
import { commit, put, RecordedWatch, show, temporaryFolder } from '../support.ts'
import { makeAuthority } from './authority.ts'

const names = ['a', 'b', 'c']

t.test('addresses', (t) => {
  const cases = [
    ['host.example:2380', { ok: true, value: { host: 'host.example', port: 2380 } }],
    ['[::1]:80', { ok: true, value: { host: '::1', port: 80 } }],
    ['127.0.0.1', { ok: false }],
    ['127.0.0.1:0', { ok: false }],
    ['127.0.0.1:65536', { ok: false }],
    ['http://a:1', { ok: false }],
  ] as const
  for (const [text, expected] of cases) t.match(parseAddress(text), expected, text)
  t.match(parseInitialCluster('b=x:2,a=y:1'), {
    ok: true,
    value: [
      { name: 'a', address: 'y:1' },
      { name: 'b', address: 'x:2' },
    ],
  })
  for (const text of ['', 'a', 'a=', 'a=x:1,a=y:1', 'a=x:1,b=x:1', '-=x:1', 'a=b=c:1']) {
    t.match(parseInitialCluster(text), { ok: false }, JSON.stringify(text))
  }
  t.end()
})

t.test('members with certificates of one authority make a group; others stay outside', async (t) => {
  const authority = await makeAuthority()
  const tls = await authority.issue('member', ['localhost'])
  const group = await startGroup(t, {
    names,
    replication: { tls },
    addressOf: (_name, port) => `localhost:${port}`,
  })
  const leader = await group.leader()
  await commit(group.member(await group.follower()).store, put('a', '1'))
  const port = group.ports.get(leader) ?? 0

  await t.test('plaintext', async (t) => {
    t.equal(await endOf(connect({ host: '127.0.0.1', port }), 'hello\n'), 'closed')
  })
  await t.test('TLS without a certificate', async (t) => {
    await endOf(connectTls({ host: 'localhost', port, ca: authority.certificate }), 'hello')
    await eventually('the member to say so', () =>
      group.problems.some((line) => /without a good certificate/.test(line)),
    )
    t.ok(
      group.problems.some((line) =>
        line.startsWith(`${leader}: refused a connection without a good certificate`),
      ),
    )
  })
  await t.test('a certificate of another authority', async (t) => {
    const other = await (await makeAuthority()).issue('member', ['localhost'])
    const dataDir = temporaryFolder(t)
    const options = group.optionsOf('d', {
      initialCluster: `${group.initialCluster},d=localhost:1`,
      initialClusterState: 'existing',
      listenAddress: 'localhost:1',
      tls: other,
    })
    const opened = await openMember({ ...options, dataDir })
    t.match(opened, { ok: false, failure: { code: 'BadCluster', message: /cannot join the cluster/ } })
  })
  await commit(group.member(leader).store, put('a', '2'))
})

t.test('addresses of other machines need certificates', async (t) => {
  const group = await prepareGroup(t, { names, addressOf: (_name, port) => `10.0.0.1:${port}` })
  const opened = await openMember(group.optionsOf('a'))
  t.match(opened, { ok: false, failure: { code: 'BadCluster', message: /need certificates/ } })
})

t.test('a member of another cluster is refused, and says why', async (t) => {
  const group = await startGroup(t, { names })
  await group.leader()
  const [port = 0] = await freePorts('127.0.0.1', 1)
  const strangerCluster = `${group.initialCluster},d=127.0.0.1:${port}`
  const problems: string[] = []
  const options = group.optionsOf('d', {
    initialCluster: strangerCluster,
    listenAddress: `127.0.0.1:${port}`,
    onPeerProblem: (reason) => problems.push(reason),
  })
  const stranger = await openMember({ ...options, dataDir: temporaryFolder(t) })
  if (!stranger.ok) throw new Error(JSON.stringify(stranger.failure))
  await eventually('both sides to say so', () => {
    const theirs = problems.some((line) =>
      /it belongs to cluster [0-9a-f]{16}, this member to [0-9a-f]{16}/.test(line),
    )
    return theirs && group.problems.some((line) => /refused 127.0.0.1:\d+: it belongs to cluster/.test(line))
  })
  await stranger.value.close()
  await commit(group.member('a').store, put('a', '1'))
})

t.test('a restarted member is told apart from another of its name', async (t) => {
  const group = await startGroup(t, { names })
  await group.leader()
  await group.stop('a')
  const opened = await openMember({ ...group.optionsOf('b'), dataDir: group.dataDir('a') })
  t.match(opened, {
    ok: false,
    failure: { code: 'BadCluster', message: 'the data directory belongs to member a, not b' },
  })
})

t.test('a member cut off and let in again: no write lost, no watch with a gap', async (t) => {
  const proxies = new Map<string, Link>()
  const group = await prepareGroup(t, {
    names,
    addressOf: (name, port) => `127.0.0.1:${proxies.get(name)?.port ?? port}`,
  })
  for (const name of names) proxies.set(name, await Link.to(t, group.ports.get(name) ?? 0))
  await Promise.all(names.map((name) => group.start(name)))
  const leader = await group.leader()
  const { store } = group.member(leader)
  await commit(store, put('a', '0'))
  const watch = new RecordedWatch(store, 1)
  // Nobody reaches the leader any more; it still reaches the others, which helps it nothing.
  proxies.get(leader)?.cut()
  const others = names.filter((name) => name !== leader)
  await eventually('another leader', async () => {
    const roles = await Promise.all(others.map((name) => group.status(name)))
    return roles.some(({ role }) => role === 'leader')
  })
  const writer = group.member(others[0] ?? '').store
  for (let i = 1; i <= 20; i++) await commit(writer, put('a', `${i}`))
  proxies.get(leader)?.mend()
  await watch.reached(21)
  t.same(
    watch.batches.flatMap(({ events }) => events.map(({ revision }) => revision)),
    Array.from({ length: 21 }, (_, i) => i + 1),
  )
  t.equal(await show(store), await show(writer))
})

/** Sends `text`, and waits for the end of the connection. */
function endOf(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('close', () => resolve('closed'))
    socket.write(text)
  })
}

/** A TCP proxy that can be cut: connections through it break, and new ones do not come about. */
class Link {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #open = true

  constructor(server: Server, port: number, target: number) {
    this.#server = server
    this.port = port
    server.on('connection', (socket: Socket) => {
      if (!this.#open) {
        socket.destroy()
        return
      }
      const onward = connect({ host: '127.0.0.1', port: target })
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
        one.pipe(other)
      }
    })
  }

  static async to(t: Test, target: number): Promise<Link> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const proxy = new Link(server, port, target)
    t.teardown(() => proxy.close())
    return proxy
  }

  cut(): void {
    this.#open = false
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#open = true
  }

  close(): Promise<unknown> {
    this.cut()
    return new Promise((resolve) => this.#server.close(resolve))
  }
}

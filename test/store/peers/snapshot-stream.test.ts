/** Transfers of a state that break off: on the receiving side, and because the sender is closed. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { systemClock } from '../../../store/clock.ts'
import type { DatabaseView } from '../../../store/disk/database.ts'
import { FrameReader } from '../../../store/link/frame-reader.ts'
import { WireWriter } from '../../../store/link/wire.ts'
import { encodeMembership } from '../../../store/member/membership.ts'
import type { TransportEvents } from '../../../store/member/transport.ts'
import { encodeMeta } from '../../../store/mvcc/meta.ts'
import { type Frame, type Hello, peerVersion, readFrame, writeFrame } from '../../../store/peers/frames.ts'
import { startPeers } from '../../../store/peers/peers.ts'
import { configurationOf } from '../../../store/raft/configuration.ts'
import type { InstallSnapshot } from '../../../store/raft/message.ts'
import { logIndex, memberId, term } from '../../../store/raft/types.ts'
import { freePorts } from '../../../workers/cluster/free-ports.ts'
import { eventually } from '../../support/eventually.ts'

const [a, b] = [memberId(1), memberId(2)]
const configuration = configurationOf([a, b])
const snapshot = { index: logIndex(5), term: term(1), configuration }
const message: InstallSnapshot = { type: 'snapshot', from: b, to: a, term: term(1), snapshot }
const noEvents: TransportEvents = {
  onMessage: () => {},
  onForward: () => false,
  onForwardRefused: () => {},
  onDigest: () => {},
  onConnected: () => {},
  onUnreachable: () => {},
  onSnapshotSent: () => {},
  onSnapshot: async () => undefined,
  onQuestion: async () => '',
}

async function start(t: Test, events: Partial<TransportEvents>, others: readonly string[] = []) {
  const [port = 0] = await freePorts('127.0.0.1', 1)
  const problems: string[] = []
  const started = await startPeers({
    id: a,
    name: 'a',
    clusterId: 'c',
    address: `127.0.0.1:${port}`,
    listen: { host: '127.0.0.1', port },
    tls: undefined,
    clock: systemClock,
    events: { ...noEvents, ...events },
    onJoin: async () => ({ ok: false, text: '' }),
    onProblem: (reason) => problems.push(reason),
  })
  if (!started.ok) throw new Error(started.failure.message)
  const transport = started.value
  t.teardown(() => transport.close())
  const [address = '127.0.0.1:1'] = others
  transport.setMembers([{ id: b, name: 'b', address }], 3)
  return { transport, port, problems }
}

function encode(...frames: readonly Frame[]): Buffer {
  const writer = new WireWriter(1024)
  for (const frame of frames) {
    const begun = writer.beginFrame()
    writeFrame(writer, frame)
    writer.endFrame(begun)
  }
  return writer.finish()
}

function hello(purpose: Hello['purpose']): Hello {
  return {
    kind: 'hello',
    version: peerVersion,
    purpose,
    clusterId: 'c',
    from: b,
    to: a,
    name: 'b',
    address: '',
  }
}

/** Everything that comes over the socket, as kinds of frames. */
function kindsOf(socket: Socket): string[] {
  const kinds: string[] = []
  const frames = new FrameReader()
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) =>
    frames.push(chunk, (bytes) => kinds.push(readFrame(bytes)?.kind ?? '?')),
  )
  socket.on('close', () => kinds.push('closed'))
  return kinds
}

/** Where a state arrives that cannot be removed again. */
function stubborn(done: string[]) {
  return {
    write: async () => void done.push('write'),
    complete: async () => void done.push('complete'),
    abandon: () => Promise.reject(new Error('EBUSY')),
  }
}

const damaged: Frame = { kind: 'records', records: [[Buffer.from('k'), Buffer.from('v')]], crc: 1 }

t.test('what has arrived of a transfer that breaks off cannot be removed: said, and no more', async (t) => {
  for (const [what, frames, breakOff] of [
    ['a damaged frame', [damaged], false],
    ['the end of the connection', [], true],
  ] as const) {
    const done: string[] = []
    const { port, problems } = await start(t, { onSnapshot: async () => stubborn(done) })
    const socket = connect({ host: '127.0.0.1', port })
    t.teardown(() => socket.destroy())
    const kinds = kindsOf(socket)
    socket.write(encode(hello('snapshot'), { kind: 'message', message }, ...frames))
    await eventually('the greeting', () => kinds.length > 0)
    if (breakOff) socket.destroy()
    await eventually('the member to say so', () => problems.some((line) => /EBUSY/.test(line)))
    t.match(problems.at(-1), /^removing a state that has not arrived: EBUSY$/, what)
    t.same(done, [], 'nothing of a damaged frame is kept')
  }
})

t.test('a newer transfer of a member ends the one before', async (t) => {
  const done: string[] = []
  const receiver = { ...stubborn(done), abandon: async () => void done.push('abandon') }
  const { port } = await start(t, { onSnapshot: async () => receiver })
  const talks = [1, 2].map(() => {
    const socket = connect({ host: '127.0.0.1', port })
    t.teardown(() => socket.destroy())
    return { socket, kinds: kindsOf(socket) }
  })
  for (const { socket, kinds } of talks) {
    socket.write(encode(hello('snapshot'), { kind: 'message', message }))
    await eventually('the greeting', () => kinds.includes('welcome'))
  }
  await eventually('the end of the first', () => talks[0]?.kinds.at(-1) === 'closed')
  t.same(talks[1]?.kinds, ['welcome'])
  await eventually('what it brought to go', () => done.includes('abandon'))
})

t.test('closing breaks off what is being sent, and waits for the view to be closed', async (t) => {
  // The other side takes everything, and never says that it has it all.
  const sockets: Socket[] = []
  const got: string[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    const frames = new FrameReader()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) =>
      frames.push(chunk, (bytes) => {
        const kind = readFrame(bytes)?.kind ?? '?'
        got.push(kind)
        if (kind === 'hello') socket.write(encode({ kind: 'welcome', text: '' }))
      }),
    )
  })
  const [port = 0] = await freePorts('127.0.0.1', 1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const meta = {
    appliedIndex: 5,
    appliedTerm: 1,
    revision: 0,
    oldest: 0,
    digest: { high: 0, low: 0, records: 0 },
  }
  let viewClosed = false
  const view: DatabaseView = {
    getMany: async () => [encodeMeta(meta), encodeMembership({ configuration, members: [], nextId: 3 })],
    async *scan() {},
    close: async () => {
      viewClosed = true
    },
  }
  const sent: boolean[] = []
  const events = { onSnapshotSent: (_id: number, delivered: boolean) => void sent.push(delivered) }
  const { transport } = await start(t, events, [`127.0.0.1:${port}`])
  transport.sendSnapshot({ ...message, from: a, to: b }, view)
  await eventually('everything to be sent', () => got.includes('end'))
  t.notOk(viewClosed)
  await transport.close()
  t.ok(viewClosed)
  t.same(sent, [false])
})

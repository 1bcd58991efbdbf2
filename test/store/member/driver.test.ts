/** The driver's loop around a real core that is alone, over a disk that can wait or fail. */
import t from 'tap'
import type { DatabaseView } from '../../../store/disk/database.ts'
import { Driver } from '../../../store/member/driver.ts'
import { noTransport } from '../../../store/member/transport.ts'
import { configurationOf } from '../../../store/raft/configuration.ts'
import { createRaft } from '../../../store/raft/raft.ts'
import type { Ready } from '../../../store/raft/ready.ts'
import { createLogTail } from '../../../store/raft/tail.ts'
import { logIndex, memberId, term } from '../../../store/raft/types.ts'
import { ManualClock } from '../support.ts'

const view: DatabaseView = { getMany: async () => [], async *scan() {}, close: async () => {} }
const one = memberId(1)

function start() {
  const told: string[] = []
  const clock = new ManualClock()
  const tail = createLogTail({
    initial: {
      hardState: { term: term(0), vote: undefined, commit: logIndex(0) },
      applied: logIndex(0),
      configuration: configurationOf([one]),
    },
    before: { index: logIndex(0), term: term(0) },
    entries: [],
    snapshot: () => undefined,
  })
  const raft = createRaft({ id: one, storage: tail, electionTicks: 10, heartbeatTicks: 1, random: () => 0 })
  const disk = { hasWrites: false, fails: false, gate: Promise.resolve() }
  const state = { failed: false, serving: true }
  async function write(what: string): Promise<boolean> {
    await disk.gate
    told.push(what)
    state.failed ||= disk.fails
    return !disk.fails
  }
  const driver = new Driver({
    raft,
    durable: {
      mvcc: disk,
      persist: ({ entries }: Ready) => write(`write ${entries.map(({ index }) => index).join(' ')}`),
      persisted: ({ entries }: Ready) => tail.append(entries),
      note: () => {},
      async flush() {
        await write('flush')
        disk.hasWrites = false
      },
      view: () => view,
      keepLogLonger: () => {},
      close: async (writes) => void told.push(`close${writes ? ' with what is applied' : ''}`),
    },
    transport: noTransport,
    clock,
    isFailed: () => state.failed,
    isServing: () => state.serving,
    onBatch: ({ committed }) => {
      for (const { index } of committed) told.push(`apply ${index}`)
    },
    onIdle: () => {},
    onFailed: () => told.push('failed'),
  })
  return { driver, disk, state, told, clock }
}

/** Two turns of the event loop: everything that needs no time is done. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}

async function startLeading() {
  const started = start()
  started.driver.drive((raft) => raft.campaign())
  await rest()
  t.equal(started.told.at(-1), 'apply 1')
  started.told.length = 0
  return started
}

const data = [new Uint8Array(1)]

t.test('what gathers during a write shares the next', async (t) => {
  const { driver, disk, told } = await startLeading()
  let release = (): void => {}
  disk.gate = new Promise((resolve) => {
    release = resolve
  })
  for (let i = 0; i < 3; i++) {
    driver.drive((raft) => raft.propose(data))
    await rest()
    t.ok(driver.isWriting)
  }
  t.same(told, [])
  release()
  await rest()
  t.same(told, ['write 2', 'write 3 4', 'apply 2', 'apply 3', 'apply 4'])
  t.notOk(driver.isWriting)
})

t.test('records that no batch takes along are written after a while', async (t) => {
  const { driver, disk, told, clock } = await startLeading()
  disk.hasWrites = true
  driver.poke()
  await rest()
  t.same(told, [])
  clock.advance(100)
  await rest()
  t.same(told, ['flush'])
})

t.test('a disk that fails is told of, whatever was being written', async (t) => {
  for (const what of ['write 2', 'flush']) {
    const { driver, disk, told, clock } = await startLeading()
    disk.fails = true
    if (what === 'flush') disk.hasWrites = true
    if (what === 'flush') driver.poke()
    else driver.drive((raft) => raft.propose(data))
    await rest()
    clock.advance(100)
    await rest()
    t.same(told, [what, 'failed'])
  }
})

t.test('closing waits for the write that is under way, and nothing is written after it', async (t) => {
  const { driver, state, told } = await startLeading()
  driver.drive((raft) => raft.propose(data))
  driver.pump()
  state.serving = false
  await driver.close(
    () => told.push('answer what waits'),
    () => true,
  )
  driver.drive((raft) => raft.propose(data))
  await rest()
  t.same(told, ['write 2', 'apply 2', 'answer what waits', 'close with what is applied'])
})

t.test('a view for a snapshot holds everything that is applied', async (t) => {
  const { driver, disk, state, told } = await startLeading()
  disk.hasWrites = true
  t.equal(await driver.stableView(), view)
  t.same(told, ['flush'])
  state.serving = false
  t.equal(await driver.stableView(), undefined)
})

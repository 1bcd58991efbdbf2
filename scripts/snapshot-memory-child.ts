/** A process whose memory snapshot-memory.ts watches: a member, or the restoring command. Answers each request once. */
import { systemClock } from '../store/clock.ts'
import { key } from '../store/contract.ts'
import { type Member, openMember } from '../store/member/open.ts'
import { restoreSnapshot } from '../store/member/restore.ts'

const [what = '', dataDir = '', name = '', initialCluster = '', state = ''] = process.argv.slice(2)
const valueBytes = 256 * 1024
const lanes = 8

async function open(): Promise<Member> {
  const initialClusterState = state === 'existing' ? 'existing' : 'new'
  const replication = { name, initialCluster, initialClusterState } as const
  const opened = await openMember({ dataDir, clock: systemClock, replication })
  if (!opened.ok) throw new Error(opened.failure.message)
  return opened.value
}

async function fill({ store }: Member, mebibytes: number): Promise<string> {
  const count = (mebibytes * 1024 * 1024) / valueBytes
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const value = Buffer.alloc(valueBytes, `${i} `)
      const done = await store.commit({ guards: [], ops: [{ type: 'put', key: key(`k${i}`), value }] })
      if (!done.ok) throw new Error(JSON.stringify(done.failure))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return String(count)
}

/** Waits until the state is as new as that. */
async function reach({ store }: Member, revision: number): Promise<string> {
  for (;;) {
    const status = await store.status()
    if (status.ok && status.value.revision >= revision) return String(status.value.revision)
    await new Promise<void>((resolve) => systemClock.after(20, resolve))
  }
}

async function act(member: Member | undefined, request: string): Promise<string> {
  const [verb = '', argument = ''] = request.split(' ')
  if (member === undefined) {
    const restored = await restoreSnapshot({ file: argument, dataDir })
    if (!restored.ok) throw new Error(restored.failure.message)
    return String(restored.value.revision)
  }
  if (verb === 'fill') return fill(member, Number(argument))
  if (verb === 'reach') return reach(member, Number(argument))
  if (verb === 'add') {
    const [added = '', address = ''] = argument.split('=')
    const done = await member.cluster.run({ method: 'add', name: added, address })
    if (!done.ok) throw new Error(done.failure.message)
    return added
  }
  const saved = await member.saveSnapshot(argument)
  if (!saved.ok) throw new Error(saved.failure.message)
  return argument
}

const member = what === 'member' ? await open() : undefined
process.on('message', (request) => {
  void act(member, String(request)).then((answer) => process.send?.(answer))
})
process.send?.('ready')

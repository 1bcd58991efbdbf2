/** Runs a scenario with the clients of a crew. */

import { Worker } from 'node:worker_threads'
import { createLatencyHistogram } from '../client/load.ts'
import { elapse } from '../measure/sample.ts'
import type { Context, Preparation, Prepared, Scenario } from '../scenarios/scenario.ts'
import { type Crew, sum } from './crew.ts'
import { Mailbox } from './mailbox.ts'
import type { Assignment, Order, Reply } from './messages.ts'

const script = new URL('./thread.js', import.meta.url)

/** Sets a scenario up on all clients: the leader first, who makes what the others find there. */
export async function prepareTogether(
  context: Omit<Context, 'crew'>,
  scenario: Scenario,
  clients: number,
): Promise<Preparation> {
  const told = new SharedArrayBuffer(clients * Float64Array.BYTES_PER_ELEMENT)
  const members: Member[] = []
  const crew = createLeader(members, clients, told)
  const own = await scenario.prepare({ ...context, crew })
  if ('skipped' in own) return own
  const { target, settings, namespace } = context
  const close = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.end()))
    await own.close()
  }
  try {
    for (let index = 1; index < clients; index++) {
      members.push(
        startMember({
          index,
          count: clients,
          scenario: scenario.name,
          settings,
          namespace,
          targetName: target.name,
          isBaseline: target.isBaseline,
          credentials: target.endpoint.credentials,
          told,
        }),
      )
    }
    await Promise.all(members.map(({ replies }) => replies.take('prepared')))
  } catch (error) {
    await close()
    throw error
  }
  return { run: () => runTogether(own, members), close }
}

async function runTogether(own: Prepared, members: readonly Member[]) {
  for (const { send } of members) send({ type: 'run' })
  const [sample] = await Promise.all([own.run(), ...members.map(({ replies }) => replies.take('ran'))])
  return sample
}

interface Member {
  readonly replies: Mailbox<Reply>
  send(order: Order): void
  /** Lets it close what it has open, then ends it. */
  end(): Promise<void>
}

function startMember(assignment: Assignment): Member {
  const thread = new Worker(script, { workerData: assignment })
  const replies = new Mailbox<Reply>()
  const lost = (why: string) => replies.fail(new Error(`client ${assignment.index}: ${why}`))
  thread.on('message', (reply: Reply) => {
    if (reply.type === 'failed') lost(reply.message)
    else replies.put(reply)
  })
  thread.on('error', (error) => lost(error instanceof Error ? error.message : String(error)))
  thread.on('exit', () => lost('its thread has ended'))
  const send = (order: Order) => thread.postMessage(order)
  return {
    replies,
    send,
    async end() {
      send({ type: 'close' })
      // One that has failed is closed already.
      await replies.take('closed').catch(() => undefined)
      await thread.terminate()
    },
  }
}

function createLeader(members: readonly Member[], count: number, shared: SharedArrayBuffer): Crew {
  const told = new Float64Array(shared)
  const tellAll = (order: Order): void => {
    for (const { send } of members) send(order)
  }
  return {
    index: 0,
    count,
    async begin(warmUpMs) {
      await Promise.all(members.map(({ replies }) => replies.take('loading')))
      await elapse(warmUpMs)
      tellAll({ type: 'begin' })
    },
    async end(windowMs) {
      await elapse(windowMs)
      tellAll({ type: 'end' })
    },
    async hand(value) {
      tellAll({ type: 'hand', value })
      return value
    },
    async gather(counted) {
      const others = await Promise.all(members.map(({ replies }) => replies.take('counted')))
      return sum([counted, ...others.map((reply) => reply.counted)], createLatencyHistogram())
    },
    tell(value) {
      told[0] = value
    },
    told: () => told.reduce((total, value) => total + value, 0),
  }
}

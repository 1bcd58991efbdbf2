/** A client beside the leader: prepares its part of one scenario, and runs it whenever it is told. */

import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { createEndpoint } from '../client/endpoint.ts'
import { allScenarios } from '../scenarios/index.ts'
import type { Context } from '../scenarios/scenario.ts'
import type { Crew } from './crew.ts'
import { Mailbox } from './mailbox.ts'
import type { Assignment, Order, Reply } from './messages.ts'

const port = parentPort
assert(port !== null, 'this is a thread of the bench')
const assignment = workerData as Assignment // what the leader started it with
const orders = new Mailbox<Order>()
const reply = (message: Reply): void => port.postMessage(message)
port.on('message', (order: Order) => orders.put(order))

function createMember(): Crew {
  const { index, count } = assignment
  const told = new Float64Array(assignment.told)
  return {
    index,
    count,
    async begin() {
      reply({ type: 'loading' })
      await orders.take('begin')
    },
    async end() {
      await orders.take('end')
    },
    async hand<T>() {
      const { value } = await orders.take('hand')
      return value as T // the leader runs the same step of the same scenario
    },
    async gather(counted) {
      reply({ type: 'counted', counted })
      return counted
    },
    tell(value) {
      told[index] = value
    },
    told: () => told.reduce((total, value) => total + value, 0),
  }
}

async function main(): Promise<void> {
  const { settings, namespace, targetName, isBaseline, credentials } = assignment
  const scenario = allScenarios(settings).find(({ name }) => name === assignment.scenario)
  assert(scenario !== undefined, assignment.scenario)
  const target = {
    name: targetName,
    endpoint: createEndpoint(credentials),
    processes: undefined,
    isBaseline,
    isForeign: false,
  }
  const context: Context = { target, settings, namespace, crew: createMember() }
  const prepared = await scenario.prepare(context)
  assert(!('skipped' in prepared), `${scenario.name} was not skipped by the leader`)
  reply({ type: 'prepared' })
  const serve = async (): Promise<void> => {
    await orders.take('run')
    await prepared.run()
    reply({ type: 'ran' })
    return serve()
  }
  await Promise.race([serve(), orders.take('close')])
  await prepared.close()
  reply({ type: 'closed' })
  port?.close()
}

main().catch((error: unknown) => {
  reply({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  port.close()
})

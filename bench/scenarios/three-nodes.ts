/**
 * What replication costs and gives: scenarios of one node on a cluster of three, and the time without writes when the
 * leader is killed. Each has a cluster of its own.
 */

import { call } from '../client/api.ts'
import { Faults } from '../client/load.ts'
import { configMap } from '../client/request.ts'
import type { Sample } from '../measure/sample.ts'
import { startThreeNodes } from '../targets/three-nodes.ts'
import { collectionPath, createNamespace } from './objects.ts'
import type { Context, Preparation, Scenario } from './scenario.ts'

/** Tries of the writer around a fail-over follow each other after this. */
const tryAgainMs = 5
/** Without a write for so long, fail-over has failed. */
const failOverMaxMs = 30_000

/** For servers that were started here: the cluster is this project's own. */
function unfit({ target }: Context): { readonly skipped: string } | undefined {
  if (target.isBaseline) return { skipped: 'the baseline has no nodes' }
  return target.another === undefined ? { skipped: 'the server was not started here' } : undefined
}

/** The same scenario, on three nodes. */
function onThreeNodes(
  scenario: Scenario,
  change: {
    readonly name: string
    readonly title: string
    readonly follows: boolean
    readonly connections?: number
  },
): Scenario {
  const { name, title, follows, connections } = change
  return {
    name,
    title,
    unit: scenario.unit,
    async prepare(context) {
      const problem = unfit(context)
      if (problem !== undefined) return problem
      const nodes = await startThreeNodes(follows)
      const settings = connections === undefined ? context.settings : { ...context.settings, connections }
      const prepared = await scenario
        .prepare({ ...context, settings, target: nodes.target })
        .catch(async (error: unknown): Promise<Preparation> => {
          await nodes.close()
          throw error
        })
      if ('skipped' in prepared) {
        await nodes.close()
        return prepared
      }
      return {
        run: () => prepared.run(),
        close: () => prepared.close().finally(() => nodes.close()),
      }
    },
  }
}

const failOver: Scenario = {
  name: 'three-nodes-failover',
  title: 'three nodes: no write answered after the leader was killed',
  unit: 'loss',
  async prepare(context) {
    return unfit(context) ?? { run: () => measureFailOver(context), close: async () => {} }
  },
}

/** From the signal to the first write that is acknowledged afterwards, for a client that tries again and again. */
async function measureFailOver(context: Context): Promise<Sample> {
  const nodes = await startThreeNodes(true)
  try {
    const endpoint = nodes.balanced
    const through = { ...context, target: { ...nodes.target, endpoint } }
    await createNamespace(through)
    let sequence = 0
    const create = async (): Promise<number> => {
      const name = `f${sequence++}`
      const body = configMap(name, context.settings.objectBytes)
      const { status } = await call(endpoint, {
        method: 'POST',
        target: collectionPath(context.namespace),
        contentType: 'application/json',
        body,
      })
      return status
    }
    const faults = new Faults()
    if ((await create()) !== 201) faults.add('the write before was refused')
    const leader = await nodes.leader()
    const killedMs = performance.now()
    nodes.cluster.kill(leader, 'SIGKILL')
    for (;;) {
      const status = await create().catch(() => 0)
      if (status === 201) break
      if (performance.now() - killedMs > failOverMaxMs) {
        faults.add('no write was acknowledged')
        break
      }
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs))
    }
    return { metrics: { readyMs: performance.now() - killedMs }, latency: undefined, faults: faults.list() }
  } finally {
    await nodes.close()
  }
}

const start: Scenario = {
  name: 'three-nodes-start',
  title: 'three nodes: start to all ready, with certificates',
  unit: 'start',
  async prepare(context) {
    return unfit(context) ?? { run: measureStart, close: async () => {} }
  },
}

async function measureStart(): Promise<Sample> {
  const nodes = await startThreeNodes(false)
  await nodes.close()
  return { metrics: { readyMs: nodes.readyMs }, latency: undefined, faults: [] }
}

/** @param scenarios those of one node, by name */
export function threeNodeScenarios(scenarios: readonly Scenario[]): readonly Scenario[] {
  const of = (name: string): Scenario => {
    const found = scenarios.find((scenario) => scenario.name === name)
    if (found === undefined) throw new RangeError(`no scenario ${name}`)
    return found
  }
  const create = of('create')
  const fanouts = scenarios.filter(({ name }) => name === 'fanout-saturated-100')
  return [
    start,
    onThreeNodes(create, {
      name: 'three-nodes-create-alone',
      title: 'three nodes: create, one connection, at the leader',
      follows: false,
      connections: 1,
    }),
    onThreeNodes(create, {
      name: 'three-nodes-create',
      title: 'three nodes: create, at the leader',
      follows: false,
    }),
    onThreeNodes(create, {
      name: 'three-nodes-create-follower',
      title: 'three nodes: create, at a follower',
      follows: true,
    }),
    ...fanouts.map((fanout) =>
      onThreeNodes(fanout, {
        name: 'three-nodes-fanout',
        title: 'three nodes: 100 watchers at a follower, full speed',
        follows: true,
      }),
    ),
    failOver,
  ]
}

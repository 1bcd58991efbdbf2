/**
 * One run: three real nodes under clients, faults in an order drawn from the seed, and the checks at the end. Time and
 * scheduling are the machine's: a seed repeats the plan of the faults, not every step.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '../sim/prng.ts'
import { eventually } from '../support/eventually.ts'
import { collection, createNodeClient, listOf, type NodeClient, readCredentials } from './client.ts'
import { create, startLoad } from './load.ts'
import { type ChaosNodes, nodeNames, startChaosNodes } from './nodes.ts'
import { createRecord, type Record } from './record.ts'
import { type FinalList, type Verdicts, verify } from './verify.ts'
import { startWatcher, type Watcher } from './watcher.ts'

export const faultKinds = ['kill', 'stop', 'cut', 'disk'] as const
export type FaultKind = (typeof faultKinds)[number]

interface ChaosOptions {
  readonly directory: string
  readonly seed: number
  /** How long faults go on; the run ends with the round that is under way. */
  readonly seconds: number
  readonly faults: readonly FaultKind[]
  readonly onLine?: (line: string) => void
}

interface Round {
  readonly kind: FaultKind
  readonly nodes: readonly string[]
  /** From the healing until a write through every node succeeded. */
  readonly backMs: number
}

interface ChaosReport {
  readonly rounds: readonly Round[]
  readonly verdicts: Verdicts
  readonly acknowledged: number
  readonly unknown: number
  readonly refused: number
  readonly reads: number
  /** Streams that watchers began, all nodes together. */
  readonly streams: number
  readonly timeline: readonly string[]
}

const diskMiB = 160
/** Service that is not back after this long is not coming back. */
const backWithinMs = 60_000
const probePatienceMs = 1000
const holdMs = { from: 800, to: 3500 }
const calmMs = { from: 300, to: 1200 }

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { directory, seed, faults } = options
  const startMs = performance.now()
  const timeline: string[] = []
  const tell = (line: string): void => {
    const stamped = `${((performance.now() - startMs) / 1000).toFixed(2).padStart(7)}  ${line}`
    timeline.push(stamped)
    options.onLine?.(stamped)
  }
  const disks = faults.includes('disk') ? diskMiB : 0
  const nodes = await startChaosNodes({ directory, diskMiB: disks, onEvent: tell })
  const credentials = readCredentials(nodes.kubeconfigPath)
  const clients = nodeNames.map((name) => createNodeClient(name, nodes.urlOf(name), credentials))
  const watchers = clients.map(startWatcher)
  const record = createRecord()
  const random = createRandom(seed)
  try {
    await eventually('the watchers to have listed', () => watchers.every(({ seen }) => seen.length > 0))
    const load = startLoad(clients, record, random.fork())
    const endMs = performance.now() + options.seconds * 1000
    const probe = createProbe(clients, record)
    const plan = planRounds(random.fork(), faults)
    const rounds: Round[] = []
    while (performance.now() < endMs) {
      load.useRegisters([0, 1, 2].map((i) => `r-${rounds.length}-${i}`))
      const next = plan()
      await delay(next.calmMs)
      rounds.push(await carryOut(next, nodes, probe, tell))
    }
    await load.stop()
    const final = await settle(clients, watchers, probe)
    const watched = new Map(watchers.map(({ node, seen }) => [node, seen]))
    const verdicts = verify({ record, watched, final })
    return {
      rounds,
      verdicts,
      ...count(record),
      streams: sum(watchers.map((one) => one.streams())),
      timeline,
    }
  } catch (error) {
    const lines = [...timeline, error instanceof Error ? error.message : String(error)]
    throw new Error(`seed ${seed} fails:\n${lines.join('\n')}`, { cause: error })
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.stop()))
    for (const client of clients) client.close()
    await nodes.stop()
  }
}

interface RoundPlan {
  readonly kind: FaultKind
  readonly victims: readonly string[]
  readonly calmMs: number
  readonly holdMs: number
  readonly manner: 'refuse' | 'drop'
  /** Of a cut: what the victims hear, what they say, or both. */
  readonly direction: 'to' | 'from' | 'both'
}

/** Every kind once in each turn, in an order of its own; mostly one victim, now and then a majority or all. */
function planRounds(random: Random, faults: readonly FaultKind[]): () => RoundPlan {
  let turn: FaultKind[] = []
  return () => {
    if (turn.length === 0) turn = [...random.shuffled(faults)]
    const kind = turn.shift() ?? 'kill'
    const count = random.pick([1, 1, 1, 1, 1, 1, 1, 2, 2, 3])
    return {
      kind,
      victims: random.shuffled(nodeNames).slice(0, count),
      calmMs: random.between(calmMs.from, calmMs.to),
      holdMs: random.between(holdMs.from, holdMs.to),
      manner: random.pick(['refuse', 'drop'] as const),
      direction: random.pick(['both', 'both', 'to', 'from'] as const),
    }
  }
}

type Probe = () => Promise<ReadonlyMap<string, number>>

async function carryOut(
  plan: RoundPlan,
  nodes: ChaosNodes,
  probe: Probe,
  tell: (line: string) => void,
): Promise<Round> {
  const { kind, victims } = plan
  const detail = kind === 'cut' ? ` (${plan.direction}, ${plan.manner})` : ''
  tell(`${kind} ${victims.join(' ')}${detail} for ${plan.holdMs} ms`)
  await inject(plan, nodes)
  await delay(plan.holdMs)
  await heal(plan, nodes)
  tell(`healed ${kind} ${victims.join(' ')}`)
  const tookMs = await probe()
  const backMs = Math.max(...tookMs.values())
  tell(`service back: ${[...tookMs].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ')}`)
  return { kind, nodes: victims, backMs }
}

async function inject({ kind, victims, manner, direction }: RoundPlan, nodes: ChaosNodes): Promise<void> {
  const isVictim = (name: string): boolean => victims.includes(name)
  switch (kind) {
    case 'kill':
      await Promise.all(victims.map((name) => nodes.kill(name)))
      return
    case 'stop':
      for (const name of victims) nodes.signal(name, 'SIGSTOP')
      return
    case 'cut':
      nodes.links.cut(
        manner,
        ({ from, to }) => (direction !== 'from' && isVictim(to)) || (direction !== 'to' && isVictim(from)),
      )
      return
    case 'disk':
      for (const name of victims) nodes.fillDisk(name)
  }
}

/** A node that a full disk has ended is started again, as whoever looks after it does. */
async function heal({ kind, victims }: RoundPlan, nodes: ChaosNodes): Promise<void> {
  switch (kind) {
    case 'stop':
      for (const name of victims) nodes.signal(name, 'SIGCONT')
      return
    case 'cut':
      nodes.links.heal()
      return
    case 'disk':
      for (const name of victims) nodes.emptyDisk(name)
  }
  for (const name of victims) await nodes.startIfDead(name)
}

/** Milliseconds from now until a create through each node succeeded. */
function createProbe(clients: readonly NodeClient[], record: Record): Probe {
  let attempts = 0
  async function back(client: NodeClient): Promise<readonly [string, number]> {
    const startMs = performance.now()
    await eventually(
      () => `a write through ${client.node}; told: ${JSON.stringify(record.writes.at(-1)?.fate)}`,
      async () => {
        const name = `p-${client.node}-${String(++attempts).padStart(6, '0')}`
        return (await create(client, record, name, probePatienceMs)).fate.type === 'done'
      },
      backWithinMs,
    )
    return [client.node, performance.now() - startMs]
  }
  return async () => new Map(await Promise.all(clients.map(back)))
}

/** A list that every watcher has gone beyond. */
async function settle(
  clients: readonly NodeClient[],
  watchers: readonly Watcher[],
  probe: Probe,
): Promise<FinalList> {
  await probe()
  const askedMs = performance.now()
  const [client] = clients
  const outcome = await client?.call('GET', collection, undefined, 20_000)
  if (outcome?.type !== 'answer' || outcome.code !== 200) {
    throw new Error(`the list at the end is refused: ${JSON.stringify(outcome).slice(0, 300)}`)
  }
  const final = { askedMs, ...listOf(outcome.body) }
  await probe()
  await eventually(
    () =>
      `all watchers to see revision ${final.revision}; they are at ${watchers.map((one) => `${one.node} ${one.revision()}`).join(', ')}`,
    () => watchers.every((watcher) => watcher.revision() > final.revision),
    backWithinMs,
  )
  return final
}

function count({
  writes,
  reads,
}: Record): Pick<ChaosReport, 'acknowledged' | 'unknown' | 'refused' | 'reads'> {
  const of = (type: string): number => writes.filter(({ fate }) => fate.type === type).length
  return { acknowledged: of('done'), unknown: of('unknown'), refused: of('refused'), reads: reads.length }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Clients of a run: each talks to one node and goes on whatever it is told. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../sim/prng.ts'
import { collection, configMap, type Item, itemOf, type NodeClient, type Outcome } from './client.ts'
import type { Record, Write } from './record.ts'

interface Load {
  /** Registers of which the clients read and write one at a time; new ones keep histories short enough to check. */
  useRegisters(names: readonly string[]): void
  stop(): Promise<void>
}

const patienceMs = 3000

export function startLoad(clients: readonly NodeClient[], record: Record, random: Random): Load {
  let running = true
  let registers: readonly string[] = ['r-0']

  async function paced(own: Random, step: () => Promise<void>): Promise<void> {
    while (running) {
      await step()
      await delay(own.between(5, 40))
    }
  }

  const loops = clients.flatMap((client) => {
    const own = random.fork()
    const user = createRegisterUser(client, record, own)
    let count = 0
    return [
      paced(own.fork(), async () => {
        await create(client, record, `c-${client.node}-${String(++count).padStart(6, '0')}`, patienceMs)
      }),
      paced(own.fork(), () => user(own.pick(registers))),
    ]
  })
  return {
    useRegisters(names) {
      registers = names
    },
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

/** Creates an object of a name that nobody used before. */
export function create(client: NodeClient, record: Record, name: string, patience: number): Promise<Write> {
  return write(client, record, { name, guard: 0 }, patience)
}

async function write(
  client: NodeClient,
  record: Record,
  { name, guard }: { readonly name: string; readonly guard: number | undefined },
  patience: number,
): Promise<Write> {
  const value = record.nextValue()
  const startMs = performance.now()
  const outcome =
    guard === 0
      ? await client.call('POST', collection, configMap(name, value), patience)
      : await client.call('PUT', `${collection}/${name}`, configMap(name, value, guard), patience)
  const nowMs = performance.now()
  const fate = fateOf(outcome, guard, record)
  const endMs = fate.type === 'unknown' ? Number.POSITIVE_INFINITY : nowMs
  const written: Write = { node: client.node, name, value, guard, startMs, endMs, fate }
  record.writes.push(written)
  return written
}

function fateOf(outcome: Outcome, guard: number | undefined, record: Record): Write['fate'] {
  if (outcome.type !== 'answer') return outcome
  const { code, body } = outcome
  if (code === 200 || code === 201) return { type: 'done', revision: itemOf(body).revision }
  if (code === 409 && guard !== undefined) return { type: 'guardFailed' }
  const why = `unexpected answer to a write: ${code} ${JSON.stringify(body).slice(0, 300)}`
  record.complaints.push(why)
  return { type: 'unknown', why }
}

/** Reads, guarded and unguarded writes of registers; a guard is what this client saw last. */
function createRegisterUser(
  client: NodeClient,
  record: Record,
  random: Random,
): (name: string) => Promise<void> {
  const known = new Map<string, number>()

  async function read(name: string): Promise<void> {
    const startMs = performance.now()
    const outcome = await client.call('GET', `${collection}/${name}`, undefined, patienceMs)
    if (outcome.type !== 'answer') return
    const { code, body } = outcome
    if (code !== 200 && code !== 404) {
      record.complaints.push(`unexpected answer to a read: ${code} ${JSON.stringify(body).slice(0, 300)}`)
      return
    }
    const found: Item | undefined = code === 200 ? itemOf(body) : undefined
    known.set(name, found?.revision ?? 0)
    record.reads.push({ node: client.node, name, startMs, endMs: performance.now(), found })
  }

  return async (name) => {
    const revision = known.get(name)
    if (revision === undefined || random.chance(0.45)) return read(name)
    // An update of what is not there would be a 404: guards begin with a create.
    const guard = revision > 0 && random.chance(0.2) ? undefined : revision
    const { fate } = await write(client, record, { name, guard }, patienceMs)
    if (fate.type === 'done') known.set(name, fate.revision)
    else if (fate.type === 'guardFailed') known.delete(name)
  }
}

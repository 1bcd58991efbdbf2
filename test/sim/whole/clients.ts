/** What is asked of the store: writes under guards, several keys at once, deletes, times to live; reads now and then; watches. */
import {
  type Key,
  key,
  keyAfterPrefix,
  type Operation,
  revision,
  type Store,
} from '../../../store/contract.ts'
import type { PutAnswer, PutRequest } from '../contract.ts'
import type { History } from '../history.ts'
import { onceWithin } from '../patience.ts'
import type { Random } from '../prng.ts'
import { violated } from '../safety.ts'
import type { Scheduler } from '../scheduler.ts'
import type { WholeHost } from './host.ts'
import type { Truth } from './truth.ts'

interface WholeClients {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly hosts: readonly WholeHost[]
  readonly history: History
  readonly truth: Truth
  readonly keys: readonly string[]
  nextValue(): number
  ended(): boolean
  failed(failure: unknown): void
}

const patienceMs = 700
const pauseMs = [5, 60] as const
const everything = { start: key('\0'), end: keyAfterPrefix('\xfe') }
/** Long enough for damage that a checksum does not see. */
const valueText = (value: number): string => String(value).padStart(12, '0')
const only = (name: string): { start: Key; end: Key } => ({ start: key(name), end: key(`${name}\0`) })

/** One call after the other, to any member, with a bound on the wait. */
export function startWholeClient(world: WholeClients): void {
  const { scheduler, random, hosts, history, keys, ended } = world
  const seen = new Map<string, number>()

  function next(): void {
    if (ended()) return
    scheduler.after(random.between(...pauseMs), () => random.pick([read, read, write, write, write, list])())
  }

  const onward = () => onceWithin(scheduler, patienceMs, next)

  /** One key, or the first and another: then both change at one revision, or neither. */
  function write(): void {
    const names = random.shuffled(keys).slice(0, random.chance(0.2) ? 2 : 1)
    const [first = ''] = names
    const guarded = names.length === 1 && random.chance(0.5) ? (seen.get(first) ?? 0) : undefined
    const gone = names.length === 1 && random.chance(0.15)
    const requests = names.map(
      (name): PutRequest => ({
        key: name,
        value: gone ? 0 : world.nextValue(),
        guard: guarded,
      }),
    )
    const nowMs = scheduler.nowMs()
    const records = requests.map((request) => history.begin(request.key, request, nowMs))
    const goOn = onward()
    const ops = requests.map(
      ({ key: name, value }): Operation =>
        value === 0
          ? { type: 'delete', key: key(name) }
          : { type: 'put', key: key(name), value: Buffer.from(valueText(value)) },
    )
    if (random.chance(0.1)) {
      const value = Buffer.from(valueText(world.nextValue()))
      ops.push({ type: 'put', key: key(`t${random.below(5)}`), value, ttlMs: random.between(1000, 3000) })
    }
    const guards = guarded === undefined ? [] : [{ key: key(first), modRevision: revision(guarded) }]
    on(random.pick(hosts), async (store) => {
      const answer = answerOf(await store.commit({ guards, ops }))
      for (const record of records) history.end(record, answer, scheduler.nowMs())
      if (answer.type === 'done') for (const name of names) seen.set(name, gone ? 0 : answer.revision)
      if (answer.type === 'guardFailed') seen.set(first, answer.current?.revision ?? 0)
      goOn()
    })
  }

  function answerOf(result: Awaited<ReturnType<Store['commit']>>): PutAnswer {
    if (result.ok) return { type: 'done', revision: result.value.revision }
    const { failure } = result
    switch (failure.code) {
      case 'GuardFailed':
        return { type: 'guardFailed', current: storedOf(failure.current) }
      case 'Unavailable':
        return { type: 'refused', leader: undefined }
      default:
        return { type: 'unknown' }
    }
  }

  function read(): void {
    const name = random.pick(keys)
    const record = history.begin(name, undefined, scheduler.nowMs())
    const goOn = onward()
    on(random.pick(hosts), async (store) => {
      const index = await store.readIndex()
      const found = index.ok ? await store.range(only(name)) : index
      if (found.ok) {
        const current = storedOf(found.value.entries[0])
        history.end(record, { type: 'value', current }, scheduler.nowMs())
        seen.set(name, current?.revision ?? 0)
      } else history.end(record, { type: 'refused' }, scheduler.nowMs())
      goOn()
    })
  }

  /** Everything, now or as it was. */
  function list(): void {
    const goOn = onward()
    on(random.pick(hosts), async (store) => {
      const at = random.chance(0.5) ? {} : { revision: revision(random.below(world.truth.revision + 1)) }
      const found = await store.range({ ...everything, ...at })
      if (found.ok) checkList(world.truth, found.value)
      goOn()
    })
  }

  function on(host: WholeHost, act: (store: Store) => Promise<void>): void {
    host.inLife((store) => void act(store).catch(world.failed))
  }

  next()
}

function storedOf(entry: { readonly value: Buffer; readonly modRevision: number } | undefined) {
  if (entry === undefined) return undefined
  const text = entry.value.toString('latin1')
  if (!/^\d{12}$/.test(text)) throw violated('values as written', `${JSON.stringify(text)} was served`)
  return { value: Number(text), revision: entry.modRevision }
}

function checkList(
  truth: Truth,
  {
    revision: at,
    entries,
  }: { readonly revision: number; readonly entries: readonly { key: string; value: Buffer }[] },
): void {
  const state = truth.stateAt(at)
  const same =
    entries.length === state.size &&
    entries.every((entry) => state.get(entry.key) === entry.value.toString('latin1'))
  if (!same) throw violated('list faithful', `another state at revision ${at}`)
}

interface WholeWatcher {
  /** First revision that it does not know. */
  readonly next: number
  readonly lists: number
}

/** Keeps a watch somewhere; moves when it ends, and at times without reason. */
export function startWholeWatcher(name: string, world: WholeClients): WholeWatcher {
  const { scheduler, random, hosts, truth } = world
  const state = { next: 1, lists: 0 }
  let turn = 0
  let current: { store: Store; close(): void } | undefined
  let host: WholeHost | undefined

  function take(from: number, batch: { revision: number; events: readonly Event[] }): void {
    if (batch.revision < from) throw violated('watch ordered', `${name} hears ${batch.revision} again`)
    const facts: string[] = []
    for (let at = from; at <= batch.revision; at++) {
      for (const { key, value } of truth.factsAt(at)) facts.push(`${at} ${key} ${value ?? 'gone'}`)
    }
    const told = batch.events.map(
      (event) =>
        `${event.revision} ${event.key} ${event.type === 'put' ? event.value.toString('latin1') : 'gone'}`,
    )
    if (told.join() !== facts.join()) {
      throw violated('watch complete', `${name} sees ${told.join()}, not ${facts.join()}`)
    }
    state.next = batch.revision + 1
  }

  function look(): void {
    const lost = current === undefined || host?.store() !== current.store
    if (lost || random.chance(world.ended() ? 0.2 : 0.1)) move()
    scheduler.after(random.between(40, 120), look)
  }

  function move(): void {
    current?.close()
    current = undefined
    const mine = ++turn
    host = random.pick(hosts)
    host.inLife((store) => {
      if (mine !== turn) return
      const watch = store.watch(
        { ...everything, from: revision(state.next) },
        {
          onBatch(batch) {
            if (mine !== turn) return
            guarded(() => take(state.next, batch))
          },
          onEnd({ code }) {
            if (mine !== turn) return
            current = undefined
            if (code === 'Compacted') void relist(store, mine).catch(world.failed)
          },
        },
      )
      current = { store, close: () => watch.close() }
    })
  }

  async function relist(store: Store, mine: number): Promise<void> {
    const found = await store.range(everything)
    if (!found.ok || mine !== turn) return
    checkList(truth, found.value)
    if (found.value.revision < state.next - 1) return
    state.lists++
    state.next = found.value.revision + 1
  }

  function guarded(act: () => void): void {
    try {
      act()
    } catch (failure) {
      world.failed(failure)
    }
  }

  look()
  return state
}

type Event =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly revision: number }
  | { readonly type: 'delete'; readonly key: string; readonly revision: number }

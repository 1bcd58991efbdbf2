/** Clients: one call after the other, any member, a bound on the wait; and watchers that move when they must. */
import type { MemberId } from '../../store/raft/types.ts'
import type { PutRequest, ReadAnswer } from './contract.ts'
import type { History } from './history.ts'
import type { Host } from './host.ts'
import { onceWithin } from './patience.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'
import type { WatchClient } from './watching.ts'

interface ClientWorld {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly hosts: readonly Host[]
  readonly history: History
  readonly keys: readonly string[]
  /** Values are unique. */
  nextValue(): number
  /** Clients start nothing new once this is true. */
  ended(): boolean
}

const patienceMs = 400
const pauseMs = [5, 60] as const

/** Runs until the world has ended. Remembers the last revision that it saw of each key, to guard by. */
export function startClient({
  scheduler,
  random,
  hosts,
  history,
  keys,
  nextValue,
  ended,
}: ClientWorld): void {
  const seen = new Map<string, number>()
  let leader: MemberId | undefined

  function next(): void {
    if (ended()) return
    scheduler.after(random.between(...pauseMs), () => (random.chance(0.5) ? read() : write()))
  }

  function target(): Host {
    const preferred = hosts.find((host) => host.id === leader && host.isUp())
    return preferred !== undefined && random.chance(0.9) ? preferred : random.pick(hosts)
  }

  const onward = () => onceWithin(scheduler, patienceMs, next)

  function write(): void {
    const key = random.pick(keys)
    const guard = random.chance(0.5) ? (seen.get(key) ?? 0) : undefined
    const request: PutRequest = { key, value: nextValue(), guard }
    const record = history.begin(key, request, scheduler.nowMs())
    const goOn = onward()
    target().run((member) =>
      member.put(request, (answer) => {
        history.end(record, answer, scheduler.nowMs())
        if (answer.type === 'refused') leader = answer.leader
        if (answer.type === 'done') seen.set(key, answer.revision)
        if (answer.type === 'guardFailed') seen.set(key, answer.current?.revision ?? 0)
        goOn()
      }),
    )
  }

  function read(): void {
    const key = random.pick(keys)
    const record = history.begin(key, undefined, scheduler.nowMs())
    const goOn = onward()
    random.pick(hosts).run((member) =>
      member.read(key, (answer: ReadAnswer) => {
        history.end(record, answer, scheduler.nowMs())
        if (answer.type === 'value') seen.set(key, answer.current?.revision ?? 0)
        goOn()
      }),
    )
  }

  next()
}

/** Keeps a watch somewhere. Moves when its member restarts, and at times without reason; at the end from one to the next. */
export function startWatcher({ scheduler, random, hosts, ended }: ClientWorld, client: WatchClient): void {
  let host: Host | undefined
  let served: object | undefined
  let stop: (() => void) | undefined
  let moves = 0

  function look(): void {
    const lost = host === undefined || host.member() !== served
    if (lost || random.chance(ended() ? 0.5 : 0.1)) move()
    scheduler.after(random.between(40, 120), look)
  }

  function move(): void {
    stop?.()
    stop = undefined
    served = undefined
    moves++
    host = (ended() ? hosts[moves % hosts.length] : undefined) ?? random.pick(hosts)
    host.run((member) => {
      if (served !== undefined) return
      served = member
      stop = member.watch(client.next(), {
        onEvents: (events) => served === member && client.onEvents(events),
        onCompacted: (list) => served === member && client.onCompacted(list),
      })
    })
  }

  look()
}

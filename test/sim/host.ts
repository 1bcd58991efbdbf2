/** One machine: a disk that stays, a member that comes and goes, a clock that drifts, and stops of the whole process. */
import type { Message } from '../../store/raft/message.ts'
import type { RaftLimits } from '../../store/raft/options.ts'
import type { Rules } from '../../store/raft/rules.ts'
import type { RaftStatus } from '../../store/raft/status.ts'
import type { MemberId } from '../../store/raft/types.ts'
import type { Checkpoint, DriverFaults, MemberFactory, MemberUnderTest, Observer } from './contract.ts'
import { createDisk, type SimulatedDisk } from './disk.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'

interface HostOptions {
  readonly id: MemberId
  readonly scheduler: Scheduler
  readonly random: Random
  readonly first: Checkpoint
  readonly createMember: MemberFactory
  readonly rules: Rules
  readonly faults: DriverFaults
  readonly observer: Observer
  readonly electionTicks: number
  readonly limits: Partial<RaftLimits>
  readonly tickMs: number
  send(message: Message, payload: Checkpoint | undefined): void
  /** After everything that the member did. */
  stepped(status: RaftStatus): void
  /** The member went down: nothing that it promised to call will be called. */
  wentDown(): void
}

export interface Host {
  readonly id: MemberId
  readonly disk: SimulatedDisk
  isUp(): boolean
  status(): RaftStatus | undefined
  member(): MemberUnderTest | undefined
  start(): void
  crash(): void
  /** Nothing happens on this machine for so long; then everything that waited does. */
  pause(forMs: number): void
  /** Runs `action` on the member now or when the machine goes on; never, when it is down or restarted by then. */
  run(action: (member: MemberUnderTest) => void): void
  /** Factor on the length of a tick: 1 = a true clock. */
  drift: number
}

export function createHost(options: HostOptions): Host {
  const { id, scheduler, random, observer } = options
  const hardware = createDisk(scheduler, random.fork(), options.first)
  let member: MemberUnderTest | undefined
  let life = 0
  let pausedUntilMs = 0

  function inLife(born: number, action: () => void): void {
    if (born !== life) return
    if (pausedUntilMs > scheduler.nowMs()) {
      scheduler.after(pausedUntilMs - scheduler.nowMs(), () => inLife(born, action))
      return
    }
    action()
    if (member !== undefined) options.stepped(member.status())
  }

  function tick(born: number): void {
    if (born !== life) return
    // A stopped process misses its ticks; they do not come in a burst afterwards.
    if (pausedUntilMs <= scheduler.nowMs()) inLife(born, () => member?.tick())
    const jitter = 0.8 + 0.4 * random.next()
    scheduler.after(options.tickMs * host.drift * jitter, () => tick(born))
  }

  const host: Host = {
    id,
    disk: hardware,
    drift: 1,
    isUp: () => member !== undefined,
    status: () => member?.status(),
    member: () => member,
    start() {
      if (member !== undefined) return
      const born = ++life
      pausedUntilMs = 0
      observer.trace(() => `${id} starts`)
      member = options.createMember({
        id,
        disk: {
          read: () => hardware.read(),
          write: (batch, sync, done) => hardware.write(batch, sync, () => inLife(born, done)),
        },
        random: random.fork(),
        rules: options.rules,
        faults: options.faults,
        observer,
        electionTicks: options.electionTicks,
        limits: options.limits,
        keptEntries: random.below(20),
        send: options.send,
      })
      tick(born)
    },
    crash() {
      if (member === undefined) return
      observer.trace(() => `${id} crashes`)
      life++
      member = undefined
      hardware.crash(options.faults.trustTornBatch)
      options.wentDown()
    },
    pause(forMs) {
      observer.trace(() => `${id} pauses for ${forMs} ms`)
      pausedUntilMs = scheduler.nowMs() + forMs
    },
    run(action) {
      inLife(life, () => {
        if (member !== undefined) action(member)
      })
    },
  }
  return host
}

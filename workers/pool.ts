/**
 * The worker processes: forked early, so that they load while the store opens; started, replaced when they crash,
 * asked for their metrics, stopped.
 */

import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../src/observe/log.ts'
import { systemClock } from '../store/clock.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import { type AuditKeeper, noKeeper } from './audit/open.ts'
import { nextBackoff } from './backoff.ts'
import type { Crew, CrewReady } from './crew.ts'
import type { LogConfig } from './flags/config.ts'
import type { ServingFailure } from './listeners.ts'
import { workerEnvironment, workerExecArgv } from './memory.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import type { Renewable } from './renewal.ts'
import { processScript } from './scripts.ts'
import type { ServingSettings } from './serving-settings.ts'

export interface PoolOptions {
  readonly workers: number
  readonly log: Log
  readonly logConfig: LogConfig
  /** Prometheus text of this process, to be added to theirs. */
  readonly ownMetrics: () => string
}

export interface Pool extends Crew {
  /** The member listens: workers may be started with this. Call before `start`. */
  setLinkPath(path: string): void
  /** Hears what workers say of the audit log. Call before `start`. */
  setAuditKeeper(keeper: AuditKeeper): void
  /** Prometheus text of the member, to be added to those of all processes. */
  setMemberMetrics(text: () => string): void
}

/** A place for one worker: the same number, whoever fills it. */
interface Slot {
  readonly number: number
  worker: Worker | undefined
  loaded: boolean
  ready: boolean
  /** It has heard of it, and is to say so: the audit log has been put aside. */
  reopened: (() => void) | undefined
  everReady: boolean
  forkedMs: number
  crashes: number
}

const metricsWaitMs = 3_000
/** A worker that ends so often without ever having served will not get better: the start has failed. */
const startAttemptsMax = 3

export function createPool(options: PoolOptions): Pool {
  const { log } = options
  cluster.setupPrimary({
    exec: processScript('worker'),
    args: [],
    execArgv: workerExecArgv(process.execArgv, process.env['NODE_OPTIONS']),
    serialization: 'advanced',
  })
  // One worker takes its connections itself: nobody has to hand them to it.
  if (options.workers === 1) cluster.schedulingPolicy = cluster.SCHED_NONE
  const slots: Slot[] = Array.from({ length: options.workers }, (_, at) => ({
    number: at + 1,
    worker: undefined,
    loaded: false,
    ready: false,
    reopened: undefined,
    everReady: false,
    forkedMs: 0,
    crashes: 0,
  }))
  let linkPath = ''
  let memberMetrics = (): string => ''
  let auditKeeper = noKeeper
  let settings: ServingSettings | undefined
  let stopping = false
  let settle: (result: Result<CrewReady, ServingFailure>) => void = () => {}
  let onAllGone = (): void => {}
  let lastRequest = 0
  const answers = new Map<number, (text: string) => void>()

  function fork(slot: Slot): void {
    const worker = cluster.fork(workerEnvironment(process.env))
    slot.worker = worker
    slot.loaded = false
    slot.ready = false
    slot.forkedMs = systemClock.monotonicMs()
    worker.on('message', (message: FromWorker) => receive(slot, worker, message))
    worker.on('error', (error) =>
      log.warn('a worker cannot be reached', { worker: slot.number, error: error.message }),
    )
    worker.on('exit', (code, signal) => ended(slot, code, signal))
  }

  /** Once both are there: the worker and what it shall serve. */
  function startOne(slot: Slot, serving: ServingSettings | undefined): void {
    if (!slot.loaded || serving === undefined) return
    // The controllers run in one process: the first place.
    const own = { ...serving, controllers: slot.number === 1 }
    tell(slot, {
      type: 'start',
      settings: { serving: own, linkPath, log: options.logConfig, name: `worker ${slot.number}` },
    })
  }

  function tell(slot: Slot, message: ToWorker): void {
    if (slot.worker?.isConnected() === true) slot.worker.send(message, ignore)
  }

  function receive(slot: Slot, worker: Worker, message: FromWorker): void {
    switch (message.type) {
      case 'loaded':
        slot.loaded = true
        startOne(slot, settings)
        break
      case 'ready':
        slot.ready = true
        slot.everReady = true
        if (slot.crashes > 0) log.info('worker replaced', { worker: slot.number, pid: worker.process.pid })
        if (slots.every(({ ready }) => ready)) settle(ok(message))
        break
      case 'failed':
        settle(fail({ code: 'CannotServe', message: message.message }))
        break
      case 'metrics':
        answers.get(message.id)?.(message.text)
        break
      case 'audit log full':
        auditKeeper.full(message.inode)
        break
      case 'audit log reopened':
        slot.reopened?.()
        break
      case 'audit lines':
        auditKeeper.print(message.lines)
        break
      case 'all metrics?':
        void collect().then((texts) => tell(slot, { type: 'all metrics', id: message.id, texts }))
        break
    }
  }

  /** Those who do not answer in time are left out. */
  async function collect(): Promise<readonly string[]> {
    const texts = await Promise.all(slots.filter(({ ready }) => ready).map(metricsOf))
    return [options.ownMetrics(), memberMetrics(), ...texts.filter((text) => text !== '')]
  }

  function metricsOf(slot: Slot): Promise<string> {
    const id = ++lastRequest
    return new Promise<string>((resolve) => {
      const timer = systemClock.after(metricsWaitMs, () => resolve(''))
      answers.set(id, (text) => {
        timer.cancel()
        resolve(text)
      })
      tell(slot, { type: 'metrics?', id })
    }).finally(() => answers.delete(id))
  }

  /** Who has ended, or not begun, has no file open either. */
  async function reopenAuditLog(slot: Slot): Promise<void> {
    if (slot.worker === undefined || !slot.loaded) return
    await new Promise<void>((resolve) => {
      slot.reopened = resolve
      tell(slot, { type: 'reopen audit log' })
    })
    slot.reopened = undefined
  }

  function ended(slot: Slot, code: number | null, signal: string | null): void {
    slot.worker = undefined
    slot.ready = false
    slot.reopened?.()
    if (stopping) {
      if (slots.every(({ worker }) => worker === undefined)) onAllGone()
      return
    }
    const why = signal === null ? `exit code ${code}` : `signal ${signal}`
    if (!slot.everReady && slot.crashes + 1 >= startAttemptsMax) {
      settle(
        fail({ code: 'CannotServe', message: `worker ${slot.number} does not start: it ended with ${why}` }),
      )
    }
    const { delayMs, crashes } = nextBackoff(slot.crashes, systemClock.monotonicMs() - slot.forkedMs)
    slot.crashes = crashes
    log.error('a worker ended and will be replaced', { worker: slot.number, why, inMs: delayMs })
    systemClock.after(delayMs, () => {
      if (!stopping) fork(slot)
    })
  }

  for (const slot of slots) fork(slot)

  return {
    setLinkPath(path) {
      linkPath = path
    },
    setAuditKeeper(keeper) {
      auditKeeper = keeper
    },
    setMemberMetrics(text) {
      memberMetrics = text
    },
    start(serving) {
      return new Promise((resolve) => {
        settle = resolve
        settings = serving
        for (const slot of slots) startOne(slot, serving)
      })
    },
    renew(all) {
      if (settings !== undefined) settings = renewed(settings, all)
      for (const slot of slots) tell(slot, { type: 'renew', all })
    },
    async reopenAuditLog() {
      await Promise.all(slots.map(reopenAuditLog))
    },
    drain() {
      for (const slot of slots) tell(slot, { type: 'drain' })
    },
    async stop(graceMs) {
      stopping = true
      if (slots.every(({ worker }) => worker === undefined)) return
      const gone = new Promise<void>((resolve) => {
        onAllGone = resolve
      })
      for (const slot of slots) tell(slot, { type: 'stop', graceMs })
      const tooLate = systemClock.after(graceMs + killAfterMs, () => this.kill())
      await gone
      tooLate.cancel()
    },
    kill() {
      stopping = true
      for (const { worker } of slots) worker?.process.kill('SIGKILL')
    },
  }
}

function renewed(settings: ServingSettings, { tls, clusterSigning }: Renewable): ServingSettings {
  return { ...settings, clusterSigning, secure: { ...settings.secure, tls } }
}

/** A worker that does not end by itself after its grace is killed. */
const killAfterMs = 5_000

/** The channel is gone: the end of the process follows, and is handled. */
function ignore(): void {}

/** A worker process: serves clients, and reads and writes through the link to the member in the supervisor. */

import { createSecureContext } from 'node:tls'
import { systemClock } from '../store/clock.ts'
import { connectLink } from '../store/link/client.ts'
import type { AuditKeeper } from './audit/open.ts'
import { createLog } from './log.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts'
import { mergeExpositions } from './metrics.ts'
import type { Renewable } from './renewal.ts'
import { type Serving, startServing } from './serving.ts'
import { nameSourcesInTraces } from './traces.ts'

const collectMs = 5_000

let serving: Serving | undefined
/** Came while the server was starting. */
let early: Renewable | undefined
let lastCollect = 0
const collecting = new Map<number, (texts: readonly string[]) => void>()

nameSourcesInTraces()
// The supervisor decides when to stop: signals that reach the whole process group are its business.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// Without its supervisor a worker has no store.
process.on('disconnect', () => process.exit(1))
process.on('message', (message: ToWorker) => void receive(message))
tell({ type: 'loaded' })
// For the first context Node 20 reads all CAs that it knows, which takes 20 ms: now, while the supervisor is busy.
createSecureContext()

function tell(message: FromWorker): void {
  process.send?.(message)
}

/** Keeping the audit log in order is the supervisor's business. */
const auditKeeper: AuditKeeper = {
  full: (inode) => tell({ type: 'audit log full', inode }),
  print: (lines) => tell({ type: 'audit lines', lines }),
}

async function receive(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'start':
      return start(message.settings)
    case 'renew':
      return renew(message.all)
    case 'drain':
      return serving?.drain()
    case 'reopen audit log':
      serving?.reopenAuditLog()
      return tell({ type: 'audit log reopened' })
    case 'stop':
      await serving?.stop(message.graceMs)
      return process.exit(0)
    case 'metrics?':
      return tell({ type: 'metrics', id: message.id, text: (await serving?.metricsText()) ?? '' })
    case 'all metrics':
      return collecting.get(message.id)?.(message.texts)
  }
}

async function start({ serving: settings, linkPath, log: logConfig, name }: WorkerSettings): Promise<void> {
  const log = await createLog(logConfig, name)
  const store = connectLink({
    path: linkPath,
    clock: systemClock,
    onLinkError: (reason) => log.warn('the link to the store is down', { reason }),
  })
  const started = await startServing(settings, { store, log, collectMetrics, auditKeeper })
  if (!started.ok) return tell({ type: 'failed', message: started.failure.message })
  serving = started.value
  if (early !== undefined) serving.renew(early)
  tell({ type: 'ready', listeners: serving.listeners, plainNote: serving.plainNote })
}

function renew(all: Renewable): void {
  if (serving === undefined) early = all
  else serving.renew(all)
}

/** Metrics of all processes together; of this one alone when the supervisor does not answer. */
async function collectMetrics(): Promise<string> {
  const id = ++lastCollect
  const texts = await new Promise<readonly string[]>((resolve) => {
    const timer = systemClock.after(collectMs, () => resolve([]))
    collecting.set(id, (all) => {
      timer.cancel()
      resolve(all)
    })
    tell({ type: 'all metrics?', id })
  })
  collecting.delete(id)
  return texts.length > 0 ? mergeExpositions(texts) : ((await serving?.metricsText()) ?? '')
}

/**
 * What a pod is doing, in a word, and how its containers fare. What is worst is told: a container that waits or has
 * failed says more than the phase of its pod.
 *
 * Source: the table of pods as every client of this API prints it.
 */

import type { JsonObject } from '../../json.ts'
import { timeMs } from '../columns/duration.ts'
import { conditionOf, isTrue, numberAt, objectsAt, textAt, valueAt } from '../columns/read.ts'

export interface PodState {
  readonly reason: string
  readonly readyContainers: number
  readonly totalContainers: number
  readonly restarts: number
  /** When a container ended last, of those whose restarts are counted. Milliseconds since 1970. */
  readonly lastRestartMs: number | undefined
}

export function podState(metadata: JsonObject, spec: JsonObject, status: JsonObject): PodState {
  const initContainers = objectsAt(spec, 'initContainers')
  const restartable = new Set(initContainers.filter(restartsAlways).map((one) => textAt(one, 'name')))
  const conditions = objectsAt(status, 'conditions')
  const start = startReason(status, conditions)
  const initial = readInitContainers(objectsAt(status, 'initContainerStatuses'), {
    restartable,
    count: initContainers.length,
  })
  const initializing = initial.reason !== undefined
  const main =
    !initializing || isTrue(conditionOf(conditions, 'Initialized'))
      ? readContainers(objectsAt(status, 'containerStatuses'))
      : undefined
  const counted =
    main === undefined ? initial.restarts : sumRestarts(initial.restartableRestarts, main.restarts)
  const reason = main?.reason ?? initial.reason ?? start
  return {
    reason: finalReason(reason, { metadata, status, conditions, running: (main?.running ?? 0) > 0 }),
    readyContainers: initial.ready + (main?.running ?? 0),
    totalContainers: objectsAt(spec, 'containers').length + initContainers.filter(restartsAlways).length,
    restarts: counted.count,
    lastRestartMs: counted.lastMs,
  }
}

function restartsAlways(container: JsonObject): boolean {
  return container['restartPolicy'] === 'Always'
}

function startReason(status: JsonObject, conditions: readonly JsonObject[]): string {
  const gated = conditions.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated')
  return gated ? 'SchedulingGated' : textAt(status, 'reason') || textAt(status, 'phase')
}

interface Restarts {
  readonly count: number
  readonly lastMs: number | undefined
}

const noRestarts: Restarts = { count: 0, lastMs: undefined }

function restartsOf(container: JsonObject): Restarts {
  return {
    count: numberAt(container, 'restartCount'),
    lastMs: timeMs(valueAt(container, 'lastState', 'terminated', 'finishedAt')),
  }
}

function sumRestarts(a: Restarts, b: Restarts): Restarts {
  const latest = Math.max(a.lastMs ?? 0, b.lastMs ?? 0)
  return { count: a.count + b.count, lastMs: latest === 0 ? undefined : latest }
}

interface InitState {
  /** Undefined: all that were looked at are done, or run beside the main containers. */
  readonly reason: string | undefined
  readonly ready: number
  readonly restarts: Restarts
  readonly restartableRestarts: Restarts
}

/** In order, up to the first that is neither done nor, if it runs beside the main containers, started. */
function readInitContainers(
  containers: readonly JsonObject[],
  known: { readonly restartable: ReadonlySet<string>; readonly count: number },
): InitState {
  let ready = 0
  let restarts = noRestarts
  let restartableRestarts = noRestarts
  for (const [index, container] of containers.entries()) {
    const own = restartsOf(container)
    const isRestartable = known.restartable.has(textAt(container, 'name'))
    restarts = sumRestarts(restarts, own)
    if (isRestartable) restartableRestarts = sumRestarts(restartableRestarts, own)
    if (hasSucceeded(container)) continue
    if (isRestartable && container['started'] === true) {
      if (container['ready'] === true) ready++
      continue
    }
    const reason = initReason(container) ?? `Init:${index}/${known.count}`
    return { reason, ready, restarts, restartableRestarts }
  }
  return { reason: undefined, ready, restarts, restartableRestarts }
}

function hasSucceeded(container: JsonObject): boolean {
  const terminated = valueAt(container, 'state', 'terminated')
  return terminated !== undefined && numberAt(terminated, 'exitCode') === 0
}

/** Undefined: on its way, nothing to tell but how far the pod has come. */
function initReason(container: JsonObject): string | undefined {
  const ended = terminatedReason(container)
  if (ended !== undefined) return `Init:${ended}`
  const waiting = textAt(container, 'state', 'waiting', 'reason')
  return waiting === '' || waiting === 'PodInitializing' ? undefined : `Init:${waiting}`
}

/** Undefined when the container has not terminated. */
function terminatedReason(container: JsonObject): string | undefined {
  const terminated = valueAt(container, 'state', 'terminated')
  if (terminated === undefined) return undefined
  const signal = numberAt(terminated, 'signal')
  const unexplained = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`
  return textAt(terminated, 'reason') || unexplained
}

interface MainState {
  /** Undefined: no container has anything to tell. */
  readonly reason: string | undefined
  /** Containers that run and are ready. */
  readonly running: number
  readonly restarts: Restarts
}

function readContainers(containers: readonly JsonObject[]): MainState {
  let restarts = noRestarts
  let reason: string | undefined
  let running = 0
  // The first container has the last word.
  for (const container of containers.toReversed()) {
    restarts = sumRestarts(restarts, restartsOf(container))
    const told = textAt(container, 'state', 'waiting', 'reason') || terminatedReason(container)
    if (told !== undefined) reason = told
    else if (container['ready'] === true && valueAt(container, 'state', 'running') !== undefined) running++
  }
  return { reason, running, restarts }
}

function finalReason(
  reason: string,
  pod: {
    readonly metadata: JsonObject
    readonly status: JsonObject
    readonly conditions: readonly JsonObject[]
    readonly running: boolean
  },
): string {
  if (pod.metadata['deletionTimestamp'] !== undefined) {
    return pod.status['reason'] === 'NodeLost' ? 'Unknown' : 'Terminating'
  }
  if (reason !== 'Completed' || !pod.running) return reason
  return isTrue(conditionOf(pod.conditions, 'Ready')) ? 'Running' : 'NotReady'
}

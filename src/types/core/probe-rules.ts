/** Probes and lifecycle hooks of containers. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import {
  type Causes,
  checkAlternatives,
  checkNotNegative,
  checkText,
  isPort,
  portText,
} from '../validation/checks.ts'
import { headerNameProblems, portNameProblems } from '../validation/names.ts'
import { type Given, itemsIn, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

/** The probes and hooks that a container has; `graceSeconds` is what the pod has to end in. */
export function checkProbes(causes: Causes, path: string, container: JsonObject, graceSeconds: number): void {
  for (const name of ['livenessProbe', 'startupProbe']) {
    const probe = objectIn(container, name)
    if (probe === undefined) continue
    checkProbe(causes, `${path}.${name}`, probe)
    const threshold = numberIn(probe, 'successThreshold')
    if (threshold !== undefined && threshold !== 1)
      causes.push(invalidValue(`${path}.${name}.successThreshold`, threshold, 'must be 1'))
  }
  const readiness = objectIn(container, 'readinessProbe')
  if (readiness !== undefined) checkReadiness(causes, `${path}.readinessProbe`, readiness)
  const lifecycle = objectIn(container, 'lifecycle')
  for (const name of ['postStart', 'preStop']) {
    const handler = objectIn(lifecycle, name)
    if (handler === undefined) continue
    const at = `${path}.lifecycle.${name}`
    checkHandler(causes, at, handler, ['exec', 'httpGet', 'tcpSocket', 'sleep'])
    checkSleep(causes, `${at}.sleep`, objectIn(handler, 'sleep'), graceSeconds)
  }
}

function checkReadiness(causes: Causes, path: string, probe: JsonObject): void {
  checkProbe(causes, path, probe)
  const grace = probe['terminationGracePeriodSeconds']
  if (grace !== undefined)
    causes.push(
      invalidValue(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
    )
}

function checkProbe(causes: Causes, path: string, probe: JsonObject): void {
  checkHandler(causes, path, probe, ['exec', 'httpGet', 'tcpSocket', 'grpc'])
  checkNotNegative(
    causes,
    path,
    probe,
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  )
  const grace = numberIn(probe, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace <= 0)
    causes.push(invalidValue(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'))
}

function checkHandler(causes: Causes, path: string, handler: JsonObject, kinds: readonly string[]): void {
  const kind = checkAlternatives(causes, path, handler, kinds, 'a handler type')
  if (kind === undefined) return
  const action = objectIn(handler, kind)
  const at = `${path}.${kind}`
  switch (kind) {
    case 'exec':
      if (textsIn(action, 'command').length === 0) causes.push(required(`${at}.command`))
      break
    case 'httpGet':
      checkPort(causes, at, action)
      checkHeaders(causes, at, action)
      break
    case 'sleep':
      break
    default:
      checkPort(causes, at, action)
  }
}

function checkSleep(causes: Causes, path: string, sleep: Given, graceSeconds: number): void {
  if (sleep === undefined) return
  const seconds = numberIn(sleep, 'seconds') ?? 0
  if (seconds > 0 && seconds <= graceSeconds) return
  const why = `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds})`
  causes.push(invalidValue(path, seconds, why))
}

function checkHeaders(causes: Causes, path: string, action: Given): void {
  for (const header of itemsIn(action, 'httpHeaders')) {
    checkText(causes, `${path}.httpHeaders`, textIn(header, 'name'), headerNameProblems)
  }
}

/** A number, or the name of a port of the container. */
function checkPort(causes: Causes, path: string, action: Given): void {
  const port = action?.['port']
  if (typeof port === 'string') {
    checkText(causes, `${path}.port`, port, portNameProblems)
  } else if (!isPort(port)) causes.push(invalidValue(`${path}.port`, port ?? 0, portText))
}

/** Containers of a pod: the ones that run, the ones that run first, and the ones that join to debug. */

import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName, createUnique, isPort, portText } from '../validation/checks.ts'
import { notFound } from '../validation/more-causes.ts'
import { labelNameProblems, portNameProblems } from '../validation/names.ts'
import type { ResourceNames } from '../validation/quantities.ts'
import { type Given, has, itemsIn, numberIn, objectIn, textIn } from '../validation/read.ts'
import { checkEnvironment } from './env-rules.ts'
import { checkMounts } from './mount-rules.ts'
import { checkProbes } from './probe-rules.ts'
import { checkResources } from './resource-rules.ts'
import { checkDebuggingContainer, checkSecurityContext } from './security-rules.ts'

interface ContainerContext {
  readonly resources: ResourceNames
  /** The volumes of the pod, by name. */
  readonly volumes: ReadonlyMap<string, JsonObject>
  /** The pod has users of its own. */
  readonly ownUsers: boolean
}

const usualGraceSeconds = 30

export function checkContainers(
  causes: Causes,
  path: string,
  spec: JsonObject,
  context: ContainerContext,
): void {
  const unique = createUnique(causes)
  const hostPorts = new Set<string>()
  const graceSeconds = numberIn(spec, 'terminationGracePeriodSeconds') ?? usualGraceSeconds
  for (const [i, container] of itemsIn(spec, 'containers').entries()) {
    const at = `${path}.containers[${i}]`
    checkContainer(causes, at, container, context)
    checkProbes(causes, at, container, graceSeconds)
    unique(`${at}.name`, textIn(container, 'name'))
    checkHostPorts(causes, at, container, hostPorts)
    if (has(container, 'restartPolicy'))
      causes.push(forbiddenField(`${at}.restartPolicy`, 'may not be set for non-init containers'))
    checkResizing(causes, at, container, spec)
  }
  for (const [i, container] of itemsIn(spec, 'initContainers').entries()) {
    const at = `${path}.initContainers[${i}]`
    checkContainer(causes, at, container, context)
    checkFirstContainer(causes, at, container, graceSeconds)
    if (itemsIn(container, 'resizePolicy').length > 0)
      causes.push(
        invalidValue(`${at}.resizePolicy`, container['resizePolicy'], 'must not be set for init containers'),
      )
    unique(`${at}.name`, textIn(container, 'name'))
    checkHostPorts(causes, at, container, new Set())
  }
  for (const [i, container] of itemsIn(spec, 'ephemeralContainers').entries()) {
    const at = `${path}.ephemeralContainers[${i}]`
    checkContainer(causes, at, container, context)
    checkDebuggingContainer(causes, at, container)
    unique(`${at}.name`, textIn(container, 'name'))
    checkTarget(causes, at, container, spec)
  }
}

/** Whom it debugs is one of the others. */
function checkTarget(causes: Causes, path: string, container: JsonObject, spec: JsonObject): void {
  const target = textIn(container, 'targetContainerName')
  if (target === '') return
  const others = [...itemsIn(spec, 'containers'), ...itemsIn(spec, 'initContainers')]
  if (!others.some((one) => textIn(one, 'name') === target))
    causes.push(notFound(`${path}.targetContainerName`, target))
}

function checkContainer(
  causes: Causes,
  path: string,
  container: JsonObject,
  context: ContainerContext,
): void {
  checkName(causes, path, container, 'name', labelNameProblems)
  checkImage(causes, `${path}.image`, textIn(container, 'image'))
  checkPorts(causes, path, container)
  checkEnvironment(causes, path, container)
  checkMounts(causes, path, container, context.volumes)
  checkResources(causes, `${path}.resources`, objectIn(container, 'resources'), context.resources)
  checkSecurityContext(
    causes,
    `${path}.securityContext`,
    objectIn(container, 'securityContext'),
    context.ownUsers,
  )
}

function checkImage(causes: Causes, path: string, image: string): void {
  if (image === '') causes.push(required(path))
}

function checkPorts(causes: Causes, path: string, container: JsonObject): void {
  const ports = itemsIn(container, 'ports')
  if (ports.length === 0) return
  const unique = createUnique(causes)
  for (const [i, port] of ports.entries()) {
    const at = `${path}.ports[${i}]`
    const containerPort = numberIn(port, 'containerPort') ?? 0
    const hostPort = numberIn(port, 'hostPort') ?? 0
    checkName(causes, at, port, 'name', portNameProblems)
    unique(`${at}.name`, textIn(port, 'name'))
    if (containerPort === 0) causes.push(required(`${at}.containerPort`))
    else if (!isPort(containerPort)) causes.push(invalidValue(`${at}.containerPort`, containerPort, portText))
    if (hostPort !== 0 && !isPort(hostPort)) causes.push(invalidValue(`${at}.hostPort`, hostPort, portText))
  }
}

/** In the network of its node, a port of a container is one of the node. */
export function checkHostNetworkPorts(causes: Causes, path: string, spec: JsonObject): void {
  if (spec['hostNetwork'] !== true) return
  for (const [i, container] of itemsIn(spec, 'containers').entries()) {
    for (const [j, port] of itemsIn(container, 'ports').entries()) {
      const hostPort = numberIn(port, 'hostPort') ?? 0
      if (hostPort !== 0 && hostPort !== (numberIn(port, 'containerPort') ?? 0))
        causes.push(
          invalidValue(
            `${path}.containers[${i}].ports[${j}].hostPort`,
            hostPort,
            'must match `containerPort` when `hostNetwork` is true',
          ),
        )
    }
  }
}

/** No two containers can have the same port of the machine. */
function checkHostPorts(causes: Causes, path: string, container: JsonObject, taken: Set<string>): void {
  for (const [i, port] of itemsIn(container, 'ports').entries()) {
    const hostPort = numberIn(port, 'hostPort') ?? 0
    if (hostPort === 0) continue
    const id = `${textIn(port, 'protocol')}/${textIn(port, 'hostIP')}/${hostPort}`
    if (taken.has(id)) causes.push(duplicate(`${path}.ports[${i}].hostPort`, id))
    taken.add(id)
  }
}

const resizable = ['cpu', 'memory']
const resizings = ['NotRequired', 'RestartContainer']

/** How it takes other amounts while it runs (feature gate `InPlacePodVerticalScaling`). */
function checkResizing(causes: Causes, path: string, container: JsonObject, spec: JsonObject): void {
  const at = `${path}.resizePolicy`
  const seen = new Set<string>()
  for (const policy of itemsIn(container, 'resizePolicy')) {
    const name = textIn(policy, 'resourceName')
    const restart = textIn(policy, 'restartPolicy')
    if (seen.has(name)) causes.push(duplicate(at, name))
    seen.add(name)
    if (name === '') causes.push(required(at))
    else if (!resizable.includes(name)) causes.push(notSupported(at, name, resizable))
    if (restart === '') causes.push(required(at))
    else if (!resizings.includes(restart)) causes.push(notSupported(at, restart, resizings))
    if (textIn(spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired')
      causes.push(invalidValue(at, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"))
  }
}

const notForFirst = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']

/** A container that must end before others begin is not watched; one that stays beside them is. */
function checkFirstContainer(causes: Causes, path: string, container: Given, graceSeconds: number): void {
  const restart = textIn(container, 'restartPolicy')
  if (restart === 'Always') {
    if (container !== undefined) checkProbes(causes, path, container, graceSeconds)
    return
  }
  if (restart !== '') causes.push(notSupported(`${path}.restartPolicy`, restart, ['Always']))
  for (const name of notForFirst) {
    if (has(container, name))
      causes.push(
        forbiddenField(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
      )
  }
}

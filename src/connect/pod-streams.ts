/**
 * pods/exec, pods/attach, pods/portforward: streams to and from a container, over another protocol (SPDY/3.1, WebSocket)
 * that the client and the agent of the pod's node speak with each other: this server passes their bytes on.
 *
 * Source: specification, "What the service does" 4 (custom actions such as connecting to a pod).
 */

import { fail } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { Query } from '../pipeline/query.ts'
import { type ApiRequest, type Checked, objectName } from '../registry/machinery.ts'
import { badRequest } from '../status/failures.ts'
import type { ApiObject } from '../types/object.ts'
import { admitConnection, connectOptions } from './admit.ts'
import type { Connected, Connection, ConnectParts } from './connection.ts'
import { containerOf } from './container.ts'
import { answeredHeaders, forwardedHeaders } from './forwarded.ts'
import { find, nodeNameOf } from './lookup.ts'
import { passOn } from './passing.ts'

/** Path and query of the agent, once the pod is known. */
type TargetOf = (pod: ApiObject, options: ApiObject) => Checked<string>

const upgradeRequired = badRequest('Upgrade request required')

export function execIn(connected: Connected): Connection {
  return streamTo(
    connected,
    (query) => ({ ...streamOptions(query), command: query.all('command') }),
    inContainer('exec'),
  )
}

export function attachTo(connected: Connected): Connection {
  return streamTo(connected, streamOptions, inContainer('attach'))
}

export function forwardPorts(connected: Connected): Connection {
  const optionsOf = (query: Query) => {
    const ports = query.all('ports').flatMap((text) => text.split(','))
    return { ports: ports.map(Number).filter(Number.isInteger) }
  }
  return streamTo(connected, optionsOf, (pod, options) => {
    const { namespace = '', name = '' } = pod.metadata
    const ports = options['ports']
    const query = new URLSearchParams()
    for (const port of Array.isArray(ports) ? ports : []) query.append('port', String(port))
    return { ok: true, value: target(['portForward', namespace, name], query) }
  })
}

function streamOptions(query: Query) {
  const flag = (name: string) => query.flag(name) ?? false
  return {
    stdin: flag('stdin'),
    stdout: flag('stdout'),
    stderr: flag('stderr'),
    tty: flag('tty'),
    container: query.text('container') ?? '',
  }
}

/** What the agent calls the parts of a stream. */
const agentNames = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const

function inContainer(action: 'exec' | 'attach'): TargetOf {
  return (pod, options) => {
    const asked = options['container']
    const container = containerOf(pod, typeof asked === 'string' ? asked : '')
    if (!container.ok) return container
    const { namespace = '', name = '' } = pod.metadata
    const query = new URLSearchParams()
    for (const [ours, theirs] of agentNames) if (options[ours] === true) query.set(theirs, '1')
    const { command } = options
    for (const word of Array.isArray(command) ? command : []) query.append('command', String(word))
    return { ok: true, value: target([action, namespace, name, container.value], query) }
  }
}

function target(path: readonly string[], query: URLSearchParams): string {
  return `/${path.map(encodeURIComponent).join('/')}${query.size === 0 ? '' : `?${query}`}`
}

function streamTo(connected: Connected, optionsOf: (query: Query) => object, targetOf: TargetOf): Connection {
  return async (request: ApiRequest, parts: ConnectParts): Promise<Outcome> => {
    const { machinery, agents, register } = parts
    const pod = await find('pods', objectName(request), machinery)
    if (!pod.ok) return pod
    const options = connectOptions(connected, optionsOf(request.query))
    const refused = await admitConnection(connected, request, parts, options)
    if (refused !== undefined) return fail(refused)
    const asked = targetOf(pod.value, options)
    if (!asked.ok) return asked
    const nodeName = nodeNameOf(pod.value)
    if (nodeName === '')
      return fail(badRequest(`pod ${pod.value.metadata.name} does not have a host assigned`))
    const node = await find('nodes', { namespace: '', name: nodeName }, machinery)
    if (!node.ok) return node
    if (request.exchange.upgrade === undefined) return fail(upgradeRequired)
    const { method } = request.exchange
    const headers = forwardedHeaders(request.exchange)
    const answer = await agents.open(node.value, { method, target: asked.value, headers })
    if (!answer.ok) return answer
    return passOn(request, answer.value, answeredHeaders(answer.value), register)
  }
}

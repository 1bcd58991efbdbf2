/** The subresources behind which something runs: requests for them are passed on to where it does. */

import type { ResourceType, Subresource } from '../types/resource.ts'
import type { Connected, Connection } from './connection.ts'
import { readPodLog } from './pod-log.ts'
import { attachTo, execIn, forwardPorts } from './pod-streams.ts'
import { proxyToNode, proxyToPod, proxyToService } from './proxies.ts'

const connections: ReadonlyMap<string, (connected: Connected) => Connection> = new Map([
  ['pods/log', () => readPodLog],
  ['pods/exec', execIn],
  ['pods/attach', attachTo],
  ['pods/portforward', forwardPorts],
  ['pods/proxy', proxyToPod],
  ['nodes/proxy', proxyToNode],
  ['services/proxy', proxyToService],
])

/** Undefined = the subresource is a part of the object, or an operation on it. */
export function connectionOf(type: ResourceType, subresource: Subresource): Connection | undefined {
  if (type.group !== '') return undefined
  return connections.get(`${type.plural}/${subresource.name}`)?.({ type, subresource })
}

/** Which ports of the nodes a service has. Source: Kubernetes API reference, ServicePort, ServiceSpec. */

import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { itemsIn, numberIn, textIn } from '../../types/validation/read.ts'
import { isIn, type PortRange, portSpan } from './ranges.ts'

export function needsNodePorts(spec: JsonObject): boolean {
  const type = textIn(spec, 'type')
  return type === 'NodePort' || (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false)
}

/** Balancers ask the nodes at a port of its own which of them have pods of the service. */
export function needsHealthPort(spec: JsonObject): boolean {
  return textIn(spec, 'type') === 'LoadBalancer' && textIn(spec, 'externalTrafficPolicy') === 'Local'
}

/** Without duplicates: ports of several protocols may share a number. */
export function nodePortsOf(spec: JsonObject): readonly number[] {
  const ports = itemsIn(spec, 'ports').map((port) => numberIn(port, 'nodePort') ?? 0)
  return [...new Set([...ports, numberIn(spec, 'healthCheckNodePort') ?? 0])].filter((port) => port > 0)
}

/** What is wrong with the ports that were asked for and are not there already. */
export function portCauses(spec: JsonObject, held: ReadonlySet<number>, range: PortRange): readonly Cause[] {
  const span = portSpan(range)
  const detail = `provided port is not in the valid range. The range of valid ports is ${range.first}-${range.last}`
  const asked: readonly (readonly [string, number])[] = [
    ...itemsIn(spec, 'ports').map(
      (port, i) => [`spec.ports[${i}].nodePort`, numberIn(port, 'nodePort') ?? 0] as const,
    ),
    ['spec.healthCheckNodePort', numberIn(spec, 'healthCheckNodePort') ?? 0],
  ]
  return asked
    .filter(([, port]) => port > 0 && !held.has(port) && !isIn(span, BigInt(port)))
    .map(([at, port]) => invalidValue(at, port, detail))
}

/** Where the number stands in the service. */
export function fieldOfPort(spec: JsonObject, number: number): string {
  const at = itemsIn(spec, 'ports').findIndex((port) => numberIn(port, 'nodePort') === number)
  return at < 0 ? 'spec.healthCheckNodePort' : `spec.ports[${at}].nodePort`
}

/**
 * The ports with numbers for those that have none; a port of another protocol with the same `port` shares its number.
 * Undefined = `pick` had none left.
 */
export function numberedPorts(
  ports: readonly JsonObject[],
  pick: () => number | undefined,
): readonly JsonObject[] | undefined {
  const byPort = new Map<number, { readonly nodePort: number; readonly protocols: Set<string> }>()
  const note = (port: JsonObject, nodePort: number): void => {
    const id = numberIn(port, 'port') ?? 0
    const known = byPort.get(id)
    if (known?.nodePort === nodePort) known.protocols.add(textIn(port, 'protocol'))
    else byPort.set(id, { nodePort, protocols: new Set([textIn(port, 'protocol')]) })
  }
  for (const port of ports) {
    const given = numberIn(port, 'nodePort') ?? 0
    if (given > 0) note(port, given)
  }
  const numbered: JsonObject[] = []
  for (const port of ports) {
    if ((numberIn(port, 'nodePort') ?? 0) > 0) {
      numbered.push(port)
      continue
    }
    const known = byPort.get(numberIn(port, 'port') ?? 0)
    const shared = known?.protocols.has(textIn(port, 'protocol')) === false ? known.nodePort : undefined
    const nodePort = shared ?? pick()
    if (nodePort === undefined) return undefined
    note(port, nodePort)
    numbered.push({ ...port, nodePort })
  }
  return numbered
}

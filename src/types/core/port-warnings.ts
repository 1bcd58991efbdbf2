/** Ports of a pod that two of its containers want, or that one names twice. */

import type { JsonObject } from '../../json.ts'
import { itemsIn, numberIn, textIn } from '../validation/read.ts'
import { containerLists } from './container-lists.ts'

interface Port {
  readonly path: string
  readonly hostIP: string
  readonly hostPort: number
}

/** @param path of the spec of a pod */
export function portWarnings(path: string, spec: JsonObject): readonly string[] {
  const warnings: string[] = []
  const byNumber = new Map<string, Port[]>()
  for (const list of containerLists) {
    for (const [i, container] of itemsIn(spec, list).entries()) {
      for (const [j, given] of itemsIn(container, 'ports').entries()) {
        const key = `${numberIn(given, 'containerPort') ?? 0}/${textIn(given, 'protocol')}`
        const port: Port = {
          path: `${path}.${list}[${i}].ports[${j}]`,
          hostIP: textIn(given, 'hostIP'),
          hostPort: numberIn(given, 'hostPort') ?? 0,
        }
        const others = byNumber.get(key) ?? []
        for (const other of others) {
          const how = clash(port, other)
          if (how !== undefined) warnings.push(`${port.path}: ${how} port definition with ${other.path}`)
        }
        byNumber.set(key, [...others, port])
      }
    }
  }
  return warnings
}

function clash(one: Port, other: Port): string | undefined {
  if (one.hostIP === other.hostIP && one.hostPort === other.hostPort) return 'duplicate'
  if (one.hostPort === 0 || other.hostPort === 0) return 'overlapping'
  const isUnclear = (one.hostIP === '') !== (other.hostIP === '')
  return one.hostPort === other.hostPort && isUnclear ? 'dangerously ambiguous' : undefined
}

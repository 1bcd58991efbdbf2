/**
 * What an update of a service keeps that its writer left out, and what goes with the type that it had. Clients write
 * back what they read, or leave out what the server filled in: neither is meant as a change.
 */

import type { JsonObject } from '../../json.ts'
import { draftOf, ensureObject } from '../draft.ts'
import type { ApiObject } from '../object.ts'
import { itemsIn, numberIn, specOf, textIn, textsIn } from '../validation/read.ts'

type Spec = ReturnType<typeof ensureObject>

export function keepAllocated(object: ApiObject, old: ApiObject): void {
  const before = specOf(old)
  const after = ensureObject(draftOf(object), 'spec')
  if (hasAddress(before) && hasAddress(after)) keepAddresses(after, before)
  if (hasNodePorts(before) && hasNodePorts(after)) keepNodePorts(after, before)
  if (hasHealthPort(before) && hasHealthPort(after)) keep(after, before, 'healthCheckNodePort')
}

/** Members that the new type does not have, where they still say what they said. */
export function dropFormerType(object: ApiObject, old: ApiObject): void {
  const before = specOf(old)
  const after = ensureObject(draftOf(object), 'spec')
  if (hasAddress(before) && !hasAddress(after))
    dropSame(after, before, 'clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy')
  if (hasNodePorts(before) && !hasNodePorts(after) && nodePorts(before) === nodePorts(after))
    after['ports'] = itemsIn(after, 'ports').map(({ nodePort: _dropped, ...port }) => port)
  if (hasHealthPort(before) && !hasHealthPort(after)) dropSame(after, before, 'healthCheckNodePort')
  if (isBalanced(before) && !isBalanced(after))
    dropSame(after, before, 'allocateLoadBalancerNodePorts', 'loadBalancerClass')
  if (isExternal(before) && !isExternal(after)) dropSame(after, before, 'externalTrafficPolicy')
}

function hasAddress(spec: JsonObject): boolean {
  return textIn(spec, 'type') !== 'ExternalName'
}

function isBalanced(spec: JsonObject): boolean {
  return textIn(spec, 'type') === 'LoadBalancer'
}

function isExternal(spec: JsonObject): boolean {
  return isBalanced(spec) || textIn(spec, 'type') === 'NodePort' || textsIn(spec, 'externalIPs').length > 0
}

function hasNodePorts(spec: JsonObject): boolean {
  return (
    textIn(spec, 'type') === 'NodePort' ||
    (isBalanced(spec) && spec['allocateLoadBalancerNodePorts'] !== false)
  )
}

function hasHealthPort(spec: JsonObject): boolean {
  return isBalanced(spec) && textIn(spec, 'externalTrafficPolicy') === 'Local'
}

function keepAddresses(after: Spec, before: JsonObject): void {
  if (textIn(after, 'clusterIP') === '') keep(after, before, 'clusterIP')
  if (textIn(after, 'clusterIP') === textIn(before, 'clusterIP')) keep(after, before, 'clusterIPs')
}

/** An address that is changed alone changes the first of the list with it, as one that is taken away clears it. */
export function followAddress(object: ApiObject, old: ApiObject): void {
  const before = specOf(old)
  const after = ensureObject(draftOf(object), 'spec')
  const address = textIn(after, 'clusterIP')
  if (address === textIn(before, 'clusterIP')) return
  if (JSON.stringify(textsIn(after, 'clusterIPs')) !== JSON.stringify(textsIn(before, 'clusterIPs'))) return
  if (address === '') delete after['clusterIPs']
  else after['clusterIPs'] = [address]
}

/** By protocol and port, unless another port of the service has been given the number. */
function keepNodePorts(after: Spec, before: JsonObject): void {
  const used = new Set(itemsIn(after, 'ports').map(nodePortOf))
  const known = new Map(itemsIn(before, 'ports').map((port) => [portId(port), nodePortOf(port)]))
  after['ports'] = itemsIn(after, 'ports').map((port) => {
    const nodePort = known.get(portId(port)) ?? 0
    if (nodePortOf(port) !== 0 || nodePort === 0 || used.has(nodePort)) return port
    return { ...port, nodePort }
  })
}

function portId(port: JsonObject): string {
  return `${textIn(port, 'protocol')}/${numberIn(port, 'port') ?? 0}`
}

function nodePortOf(port: JsonObject): number {
  return numberIn(port, 'nodePort') ?? 0
}

function nodePorts(spec: JsonObject): string {
  return itemsIn(spec, 'ports').map(nodePortOf).sort().join()
}

/** Absent, empty and zero all mean that nobody said anything. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
}

function keep(after: Spec, before: JsonObject, name: string): void {
  const value = before[name]
  if (isUnset(after[name]) && value !== undefined) after[name] = value
}

function dropSame(after: Spec, before: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    if (JSON.stringify(after[name]) === JSON.stringify(before[name])) delete after[name]
  }
}

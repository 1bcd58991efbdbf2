/** What a service may be, by its type. Source: Kubernetes API reference, ServiceSpec. */

import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, required } from '../../status/causes.ts'
import {
  type Causes,
  checkBetween,
  checkDistinct,
  checkName,
  checkText,
  createUnique,
  isPort,
  portText,
} from '../validation/checks.ts'
import {
  addressProblem,
  addressText,
  parseAddress,
  rangeProblem,
  specialAddressProblem,
} from '../validation/ip.ts'
import { checkLabels } from '../validation/labels.ts'
import { labelProblem, portNameProblem, qualifiedNameProblem, subdomainProblem } from '../validation/names.ts'
import { has, itemsIn, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

const headless = 'None'

export function checkServiceSpec(causes: Causes, path: string, spec: JsonObject): void {
  const type = textIn(spec, 'type')
  checkType(causes, path, spec, type)
  checkPorts(causes, path, spec, type)
  checkLabels(causes, path, spec, 'selector')
  checkAddresses(causes, path, spec)
  checkAffinity(causes, path, spec)
  checkExternal(causes, path, spec, type)
}

function checkType(causes: Causes, path: string, spec: JsonObject, type: string): void {
  const address = textIn(spec, 'clusterIP')
  switch (type) {
    case 'LoadBalancer':
    case 'NodePort':
      if (address === headless)
        causes.push(
          invalidValue(`${path}.clusterIPs[0]`, headless, `may not be set to 'None' for ${type} services`),
        )
      break
    case 'ExternalName':
      if (address !== '' || textsIn(spec, 'clusterIPs').length > 0)
        causes.push(forbiddenField(`${path}.clusterIPs`, 'may not be set for ExternalName services'))
      checkExternalName(causes, `${path}.externalName`, textIn(spec, 'externalName'))
      break
    default:
  }
}

function checkExternalName(causes: Causes, path: string, name: string): void {
  if (name === '') causes.push(required(path))
  else checkText(causes, path, name.replace(/\.$/, ''), subdomainProblem)
}

function checkPorts(causes: Causes, path: string, spec: JsonObject, type: string): void {
  const ports = itemsIn(spec, 'ports')
  if (ports.length === 0) {
    if (type !== 'ExternalName' && textIn(spec, 'clusterIP') !== headless)
      causes.push(required(`${path}.ports`))
    return
  }
  const uniqueName = createUnique(causes)
  const [ids, nodePorts] = [new Set<string>(), new Set<string>()]
  for (const [i, port] of ports.entries()) {
    const at = `${path}.ports[${i}]`
    const protocol = textIn(port, 'protocol')
    checkPort(causes, at, port, ports.length > 1)
    uniqueName(`${at}.name`, textIn(port, 'name'))
    const id = `${protocol}/${numberIn(port, 'port') ?? 0}`
    if (ids.has(id)) causes.push(duplicate(at, { protocol, port: numberIn(port, 'port') ?? 0 }))
    ids.add(id)
    const nodePort = numberIn(port, 'nodePort') ?? 0
    if (nodePort === 0) continue
    if (type === 'ClusterIP')
      causes.push(forbiddenField(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    if (nodePorts.has(`${protocol}/${nodePort}`)) causes.push(duplicate(`${at}.nodePort`, nodePort))
    nodePorts.add(`${protocol}/${nodePort}`)
  }
}

function checkPort(causes: Causes, path: string, port: JsonObject, isOneOfMany: boolean): void {
  if (textIn(port, 'name') !== '') checkName(causes, path, port, 'name', labelProblem)
  else if (isOneOfMany) causes.push(required(`${path}.name`))
  const number = numberIn(port, 'port') ?? 0
  if (!isPort(number)) causes.push(invalidValue(`${path}.port`, number, portText))
  const target = port['targetPort']
  if (typeof target === 'string') {
    if (target !== '') checkText(causes, `${path}.targetPort`, target, portNameProblem)
  } else if (typeof target === 'number' && target !== 0 && !isPort(target)) {
    causes.push(invalidValue(`${path}.targetPort`, target, portText))
  }
  const nodePort = numberIn(port, 'nodePort') ?? 0
  if (nodePort !== 0 && !isPort(nodePort)) causes.push(invalidValue(`${path}.nodePort`, nodePort, portText))
  checkName(causes, path, port, 'appProtocol', qualifiedNameProblem)
}

const clusterIPsMax = 2

function checkAddresses(causes: Causes, path: string, spec: JsonObject): void {
  const address = textIn(spec, 'clusterIP')
  const addresses = textsIn(spec, 'clusterIPs')
  const at = `${path}.clusterIPs`
  if (address !== '' && address !== headless && addresses.length === 0)
    checkText(causes, `${at}[0]`, address, addressProblem)
  if (addresses.length > clusterIPsMax)
    causes.push(invalidValue(at, addresses, `may only hold up to ${clusterIPsMax} values`))
  if (address !== '' && addresses.length > 0 && addresses[0] !== address)
    causes.push(invalidValue(at, addresses, 'first value must match `clusterIP`'))
  for (const [i, one] of addresses.entries()) {
    if (one === headless && i === 0) continue
    checkText(causes, `${at}[${i}]`, one, addressProblem)
  }
  checkDistinct(causes, path, spec, 'clusterIPs')
  checkDistinct(causes, path, spec, 'ipFamilies')
  for (const [i, one] of textsIn(spec, 'externalIPs').entries()) {
    const parsed = parseAddress(one)
    const problem = parsed === undefined ? addressText : specialAddressProblem(parsed)
    if (problem !== undefined) causes.push(invalidValue(`${path}.externalIPs[${i}]`, one, problem))
  }
}

const affinitySecondsMax = 86_400

function checkAffinity(causes: Causes, path: string, spec: JsonObject): void {
  const config = objectIn(spec, 'sessionAffinityConfig')
  const at = `${path}.sessionAffinityConfig`
  switch (textIn(spec, 'sessionAffinity')) {
    case 'ClientIP': {
      const seconds = numberIn(objectIn(config, 'clientIP'), 'timeoutSeconds')
      if (seconds !== undefined && (seconds <= 0 || seconds > affinitySecondsMax))
        causes.push(
          invalidValue(
            `${at}.clientIP.timeoutSeconds`,
            seconds,
            `must be greater than 0 and less than ${affinitySecondsMax}`,
          ),
        )
      break
    }
    case headless:
      if (config !== undefined)
        causes.push(forbiddenField(at, 'must not be set when session affinity is None'))
      break
    default:
  }
}

/** How the service is reached from outside. */
function checkExternal(causes: Causes, path: string, spec: JsonObject, type: string): void {
  const balanced = type === 'LoadBalancer'
  const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"
  for (const name of ['loadBalancerClass', 'allocateLoadBalancerNodePorts']) {
    if (!balanced && has(spec, name)) causes.push(forbiddenField(`${path}.${name}`, onlyBalanced))
  }
  checkName(causes, path, spec, 'loadBalancerClass', qualifiedNameProblem)
  const ranges = textsIn(spec, 'loadBalancerSourceRanges')
  if (!balanced && ranges.length > 0)
    causes.push(forbiddenField(`${path}.loadBalancerSourceRanges`, onlyBalanced))
  for (const [i, range] of ranges.entries()) {
    checkText(causes, `${path}.loadBalancerSourceRanges[${i}]`, range.trim(), rangeProblem)
  }
  const policy = textIn(spec, 'externalTrafficPolicy')
  const reachable = balanced || type === 'NodePort' || textsIn(spec, 'externalIPs').length > 0
  if (policy !== '' && !reachable)
    causes.push(
      invalidValue(
        `${path}.externalTrafficPolicy`,
        policy,
        'may only be set for externally-accessible services',
      ),
    )
  checkHealthPort(causes, path, spec, balanced && policy === 'Local')
}

function checkHealthPort(causes: Causes, path: string, spec: JsonObject, allowed: boolean): void {
  const port = numberIn(spec, 'healthCheckNodePort') ?? 0
  if (port === 0) return
  if (!allowed)
    causes.push(
      invalidValue(
        `${path}.healthCheckNodePort`,
        port,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    )
  checkBetween(causes, path, spec, 'healthCheckNodePort', 1, 65_535)
}

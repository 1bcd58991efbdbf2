/** What a service may be, by its type. Source: Kubernetes API reference, ServiceSpec. */

import { parseAddress } from '../../ip.ts'
import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, required } from '../../status/causes.ts'
import {
  type Causes,
  checkBetween,
  checkDistinct,
  checkGiven,
  checkName,
  checkOneOf,
  checkText,
  createUnique,
  isPort,
  portText,
} from '../validation/checks.ts'
import { addressProblems, addressText, parseRange, specialAddressProblems } from '../validation/ip.ts'
import { checkLabels } from '../validation/labels.ts'
import {
  labelNameProblems,
  type Problems,
  portNameProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../validation/names.ts'
import { type Given, has, itemsIn, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

export const headless = 'None'

export function checkServiceSpec(
  causes: Causes,
  path: string,
  spec: JsonObject,
  annotations: ServiceAnnotations,
): void {
  const type = textIn(spec, 'type')
  checkType(causes, path, spec, type)
  checkPorts(causes, path, spec, type)
  checkLabels(causes, path, spec, 'selector')
  if (type !== 'ExternalName') checkAddresses(causes, path, spec)
  checkExternalAddresses(causes, path, spec)
  checkAffinity(causes, path, spec)
  checkExternal(causes, path, spec, type, annotations)
}

interface ServiceAnnotations {
  /** Of the service: key → value. */
  readonly given: Given
  /** Path of the annotations. */
  readonly path: string
  /** Key of the one that says what `loadBalancerSourceRanges` says. */
  readonly sourceRanges: string
}

function checkType(causes: Causes, path: string, spec: JsonObject, type: string): void {
  const address = textIn(spec, 'clusterIP')
  switch (type) {
    case 'LoadBalancer':
      for (const [i, port] of itemsIn(spec, 'ports').entries()) {
        if (port['port'] === kubeletPort)
          causes.push(
            invalidValue(
              `${path}.ports[${i}]`,
              kubeletPort,
              `may not expose port ${kubeletPort} externally since it is used by kubelet`,
            ),
          )
      }
      checkNotHeadless(causes, path, address, type)
      break
    case 'NodePort':
      checkNotHeadless(causes, path, address, type)
      break
    case 'ExternalName':
      if (address !== '' || textsIn(spec, 'clusterIPs').length > 0)
        causes.push(forbiddenField(`${path}.clusterIPs`, 'may not be set for ExternalName services'))
      for (const name of ['ipFamilies', 'ipFamilyPolicy']) {
        if (has(spec, name))
          causes.push(forbiddenField(`${path}.${name}`, 'may not be set for ExternalName services'))
      }
      checkExternalName(causes, `${path}.externalName`, textIn(spec, 'externalName'))
      break
    default:
  }
}

const kubeletPort = 10_250

function checkNotHeadless(causes: Causes, path: string, address: string, type: string): void {
  if (address === headless)
    causes.push(
      invalidValue(`${path}.clusterIPs[0]`, headless, `may not be set to 'None' for ${type} services`),
    )
}

function checkExternalName(causes: Causes, path: string, name: string): void {
  if (name === '') causes.push(required(path))
  else checkText(causes, path, name.replace(/\.$/, ''), subdomainProblems)
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
  if (textIn(port, 'name') !== '') checkName(causes, path, port, 'name', labelNameProblems)
  else if (isOneOfMany) causes.push(required(`${path}.name`))
  const number = numberIn(port, 'port') ?? 0
  if (!isPort(number)) causes.push(invalidValue(`${path}.port`, number, portText))
  const target = port['targetPort']
  if (typeof target === 'string') checkText(causes, `${path}.targetPort`, target, portNameProblems)
  else if (!isPort(target ?? 0)) causes.push(invalidValue(`${path}.targetPort`, target ?? 0, portText))
  checkGiven(causes, path, port, 'appProtocol', qualifiedNameProblems)
}

const clusterIPsMax = 2

function checkAddresses(causes: Causes, path: string, spec: JsonObject): void {
  const address = textIn(spec, 'clusterIP')
  const addresses = textsIn(spec, 'clusterIPs')
  const at = `${path}.clusterIPs`
  if (address !== '' && address !== headless && addresses.length === 0)
    checkText(causes, `${at}[0]`, address, addressProblems)
  if (addresses.length > clusterIPsMax)
    causes.push(invalidValue(at, addresses, `may only hold up to ${clusterIPsMax} values`))
  if (address === '' && addresses.length > 0)
    causes.push(invalidValue(at, addresses, 'must be empty when `clusterIP` is not specified'))
  if (address !== '' && addresses.length > 0 && addresses[0] !== address)
    causes.push(invalidValue(at, addresses, 'first value must match `clusterIP`'))
  for (const [i, one] of addresses.entries()) {
    if (one === headless && i === 0) {
      if (addresses.length > 1)
        causes.push(invalidValue(at, addresses, "'None' must be the first and only value"))
    } else checkText(causes, `${at}[${i}]`, one, addressProblems)
  }
  checkDistinct(causes, path, spec, 'ipFamilies')
  const families = addresses.map((one) => parseAddress(one)?.family)
  if (addresses[0] === headless || families.includes(undefined)) return
  if (new Set(families).size < families.length)
    causes.push(invalidValue(at, addresses, 'may specify no more than one IP for each IP family'))
  for (const [i, family] of textsIn(spec, 'ipFamilies').entries()) {
    if (families[i] !== undefined && families[i] !== family && (family === 'IPv4' || family === 'IPv6'))
      causes.push(
        invalidValue(
          `${at}[${i}]`,
          addresses[i],
          `expected an ${family} value as indicated by \`ipFamilies[${i}]\``,
        ),
      )
  }
}

function checkExternalAddresses(causes: Causes, path: string, spec: JsonObject): void {
  for (const [i, one] of textsIn(spec, 'externalIPs').entries()) {
    checkText(causes, `${path}.externalIPs[${i}]`, one, reachableProblems)
  }
}

function reachableProblems(text: string): Problems {
  const address = parseAddress(text)
  return address === undefined ? [addressText] : specialAddressProblems(address)
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
function checkExternal(
  causes: Causes,
  path: string,
  spec: JsonObject,
  type: string,
  annotations: ServiceAnnotations,
): void {
  const balanced = type === 'LoadBalancer'
  for (const name of ['loadBalancerClass', 'allocateLoadBalancerNodePorts']) {
    if (!balanced && has(spec, name)) causes.push(forbiddenField(`${path}.${name}`, onlyBalanced))
  }
  if (balanced) checkGiven(causes, path, spec, 'loadBalancerClass', qualifiedNameProblems)
  checkSourceRanges(causes, `${path}.LoadBalancerSourceRanges`, spec, balanced, annotations)
  const policy = textIn(spec, 'externalTrafficPolicy')
  const reachable = balanced || type === 'NodePort' || textsIn(spec, 'externalIPs').length > 0
  if (reachable) checkOneOf(causes, path, spec, 'externalTrafficPolicy', ['Cluster', 'Local'])
  else if (policy !== '')
    causes.push(
      invalidValue(
        `${path}.externalTrafficPolicy`,
        policy,
        'may only be set for externally-accessible services',
      ),
    )
  checkHealthPort(causes, path, spec, balanced && policy === 'Local')
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

/** The annotation counts where the field is not given. */
function checkSourceRanges(
  causes: Causes,
  path: string,
  spec: JsonObject,
  balanced: boolean,
  annotations: ServiceAnnotations,
): void {
  const ranges = textsIn(spec, 'loadBalancerSourceRanges')
  if (ranges.length > 0) {
    if (!balanced) causes.push(forbiddenField(path, onlyBalanced))
    for (const [i, range] of ranges.entries()) checkText(causes, `${path}[${i}]`, range.trim(), rangeProblems)
    return
  }
  const { given, path: annotationsPath, sourceRanges } = annotations
  if (!has(given, sourceRanges)) return
  const at = `${annotationsPath}[${sourceRanges}]`
  if (!balanced) causes.push(forbiddenField(at, onlyBalanced))
  const text = textIn(given, sourceRanges).trim()
  if (text !== '') for (const range of text.split(',')) checkText(causes, at, range.trim(), rangeProblems)
}

function rangeProblems(text: string): Problems {
  return parseRange(text) === undefined
    ? ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']
    : []
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
  else checkBetween(causes, path, spec, 'healthCheckNodePort', 1, 65_535)
}

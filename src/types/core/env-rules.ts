/** Environment variables of containers, and the values of a pod that its containers can be told. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName, checkText } from '../validation/checks.ts'
import {
  dataKeyProblems,
  environmentNameProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../validation/names.ts'
import { isHugePages, nanosOf } from '../validation/quantities.ts'
import { type Given, itemsIn, objectIn, present, textIn } from '../validation/read.ts'

const valueSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef']

export function checkEnvironment(causes: Causes, path: string, container: JsonObject): void {
  for (const [i, variable] of itemsIn(container, 'env').entries()) {
    const at = `${path}.env[${i}]`
    checkName(causes, at, variable, 'name', environmentNameProblems)
    const source = objectIn(variable, 'valueFrom')
    if (source !== undefined) checkSource(causes, `${at}.valueFrom`, variable, source)
  }
  for (const [i, from] of itemsIn(container, 'envFrom').entries()) {
    checkEnvFrom(causes, `${path}.envFrom`, i, from)
  }
}

function checkSource(causes: Causes, path: string, variable: JsonObject, source: JsonObject): void {
  const given = present(source, valueSources)
  for (const name of given) {
    const reference = objectIn(source, name)
    if (name === 'fieldRef') checkFieldRef(causes, `${path}.${name}`, reference, environmentFields)
    else if (name === 'resourceFieldRef') checkResourceFieldRef(causes, `${path}.${name}`, reference)
    else checkKeyRef(causes, `${path}.${name}`, reference)
  }
  if (given.length === 0) {
    const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
    causes.push(invalidValue(path, '', detail))
  } else if (textIn(variable, 'value') !== '') {
    causes.push(invalidValue(path, '', 'may not be specified when `value` is not empty'))
  }
  if (given.length > 1)
    causes.push(invalidValue(path, '', 'may not have more than one field specified at a time'))
}

function checkKeyRef(causes: Causes, path: string, reference: Given): void {
  checkText(causes, `${path}.name`, textIn(reference, 'name'), subdomainProblems)
  checkName(causes, path, reference, 'key', dataKeyProblems)
}

/** What is wrong with the choice is said of the list, not of its element. */
function checkEnvFrom(causes: Causes, list: string, index: number, from: JsonObject): void {
  const path = `${list}[${index}]`
  checkName(causes, path, from, 'prefix', environmentNameProblems)
  const given = present(from, ['configMapRef', 'secretRef'])
  for (const name of given) {
    const reference = textIn(objectIn(from, name), 'name')
    if (reference === '') causes.push(required(`${path}.${name}.name`))
    else checkText(causes, `${path}.${name}.name`, reference, subdomainProblems)
  }
  if (given.length === 0) {
    causes.push(invalidValue(list, '', 'must specify one of: `configMapRef` or `secretRef`'))
  } else if (given.length > 1) {
    causes.push(invalidValue(list, '', 'may not have more than one field specified at a time'))
  }
}

const objectFields = ['metadata.name', 'metadata.namespace', 'metadata.uid']

/** What a variable can hold of its pod. */
const environmentFields: readonly string[] = [
  ...objectFields,
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

/** What a file can hold of its pod. */
export const fileFields: readonly string[] = ['metadata.annotations', 'metadata.labels', ...objectFields]

/** Everything of a pod that has a name for this purpose, whether it can be had here or not. */
const convertible: ReadonlySet<string> = new Set([
  ...fileFields,
  ...environmentFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

const subscripted = /^(.+?)\['(.*)'\]$/

export function checkFieldRef(
  causes: Causes,
  path: string,
  reference: Given,
  supported: readonly string[],
): void {
  const version = textIn(reference, 'apiVersion')
  const field = textIn(reference, 'fieldPath')
  const at = `${path}.fieldPath`
  if (field === '') {
    causes.push(required(at))
    return
  }
  const fail = (why: string) => causes.push(invalidValue(at, field, `error converting fieldPath: ${why}`))
  const [, map, key] = subscripted.exec(field) ?? []
  if (version !== '' && version !== 'v1') fail(`unsupported pod version: ${version}`)
  else if (map !== undefined && key !== undefined) {
    if (map !== 'metadata.labels' && map !== 'metadata.annotations')
      fail(`field label does not support subscript: ${field}`)
    else
      for (const problem of qualifiedNameProblems(map === 'metadata.labels' ? key : key.toLowerCase()))
        causes.push(invalidValue(path, key, problem))
  } else if (!convertible.has(field)) fail(`field label not supported: ${field}`)
  else if (!supported.includes(field)) causes.push(notSupported(at, field, [...supported].sort()))
}

const resourceFields = ['cpu', 'ephemeral-storage', 'memory'].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
])
const sizeDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']
const cpuDivisors: ReadonlySet<string> = new Set(['1m', '1'])
const otherDivisors: ReadonlySet<string> = new Set(sizeDivisors)

/** `ofVolume`: files must say of which container; variables are those of a container. */
export function checkResourceFieldRef(
  causes: Causes,
  path: string,
  reference: Given,
  ofVolume = false,
): void {
  const resource = textIn(reference, 'resource')
  const name = resource.replace(/^(limits|requests)\./, '')
  const isHuge = resource !== name && isHugePages(name)
  if (ofVolume && textIn(reference, 'containerName') === '') causes.push(required(`${path}.containerName`))
  else if (resource === '') causes.push(required(`${path}.resource`))
  else if (!resourceFields.includes(resource) && !isHuge)
    causes.push(notSupported(`${path}.resource`, resource, [...resourceFields].sort()))
  if (!isHuge && !resourceFields.includes(resource)) return
  checkDivisor(causes, `${path}.divisor`, resource, name, textIn(reference, 'divisor'))
}

function checkDivisor(causes: Causes, path: string, resource: string, name: string, divisor: string): void {
  if (nanosOf(divisor) === 0n) return
  const isCpu = name === 'cpu'
  if ((isCpu ? cpuDivisors : otherDivisors).has(divisor)) return
  const values = isCpu ? '1m and 1' : sizeDivisors.join(', ')
  const what =
    name === 'ephemeral-storage' ? 'local ephemeral storage' : isHugePages(name) ? 'hugepages' : name
  causes.push(
    invalidValue(path, resource, `only divisor's values ${values} are supported with the ${what} resource`),
  )
}

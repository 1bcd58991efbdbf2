/** Environment variables of containers, and the values of a pod that its containers can be told. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName, checkText } from '../validation/checks.ts'
import {
  dataKeyProblem,
  environmentNameProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from '../validation/names.ts'
import { type Given, itemsIn, objectIn, present, textIn } from '../validation/read.ts'

const valueSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef']

export function checkEnvironment(causes: Causes, path: string, container: JsonObject): void {
  for (const [i, variable] of itemsIn(container, 'env').entries()) {
    const at = `${path}.env[${i}]`
    checkName(causes, at, variable, 'name', environmentNameProblem)
    const source = objectIn(variable, 'valueFrom')
    if (source !== undefined) checkSource(causes, `${at}.valueFrom`, variable, source)
  }
  for (const [i, from] of itemsIn(container, 'envFrom').entries()) {
    checkEnvFrom(causes, `${path}.envFrom[${i}]`, from)
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
  checkText(causes, `${path}.name`, textIn(reference, 'name'), subdomainProblem)
  checkName(causes, path, reference, 'key', dataKeyProblem)
}

function checkEnvFrom(causes: Causes, path: string, from: JsonObject): void {
  checkName(causes, path, from, 'prefix', environmentNameProblem)
  const given = present(from, ['configMapRef', 'secretRef'])
  for (const name of given) {
    const reference = textIn(objectIn(from, name), 'name')
    if (reference === '') causes.push(required(`${path}.${name}.name`))
    else checkText(causes, `${path}.${name}.name`, reference, subdomainProblem)
  }
  if (given.length === 0) {
    causes.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
  } else if (given.length > 1) {
    causes.push(invalidValue(path, '', 'may not have more than one field specified at a time'))
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

const subscripted = /^metadata\.(labels|annotations)\['(.*)'\]$/

export function checkFieldRef(
  causes: Causes,
  path: string,
  reference: Given,
  supported: readonly string[],
): void {
  const field = textIn(reference, 'fieldPath')
  if (field === '' || supported.includes(field)) return
  const match = subscripted.exec(field)
  if (match === null) {
    causes.push(notSupported(`${path}.fieldPath`, field, [...supported].sort()))
    return
  }
  const key = match[2] ?? ''
  const problem = qualifiedNameProblem(match[1] === 'labels' ? key : key.toLowerCase())
  if (problem !== undefined) causes.push(invalidValue(path, key, problem))
}

const resourceFields = ['cpu', 'ephemeral-storage', 'memory'].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
])

export function checkResourceFieldRef(causes: Causes, path: string, reference: Given): void {
  const resource = textIn(reference, 'resource')
  if (resource === '' || resourceFields.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource))
    return
  causes.push(notSupported(`${path}.resource`, resource, [...resourceFields].sort()))
}

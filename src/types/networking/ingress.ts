/** Ingresses and their classes. */

import { parseAddress } from '../../ip.ts'
import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import { immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import {
  type Causes,
  checkGiven,
  checkName,
  checkNotEmpty,
  checkText,
  isPort,
  portText,
} from '../validation/checks.ts'
import {
  checkDomainPrefixedPath,
  hostLabelProblems,
  labelNameProblems,
  pathSegmentProblems,
  portNameProblems,
  subdomainProblems,
  wildcardProblems,
} from '../validation/names.ts'
import { type Given, has, itemsIn, numberIn, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const ingress: ModuleFactory = ({ names }) => ({
  strategy: {
    toldGroup: 'extensions',
    validate: validates((causes, object) => checkIngressSpec(causes, 'spec', specOf(object))),
    validateCreate: validates((causes, object) => checkClassSaidOnce(causes, object, names)),
    warnings: (object, old) => (old === undefined ? classWarnings(object, names) : []),
  },
})

function classWarnings({ metadata: { annotations } }: ApiObject, { expand }: Names): readonly string[] {
  const annotation = expand('{labels}/ingress.class')
  if (annotations?.[annotation] === undefined) return []
  return [`annotation "${annotation}" is deprecated, please use 'spec.ingressClassName' instead`]
}

/** The annotation that once named the class. */
function checkClassSaidOnce(causes: Causes, object: ApiObject, { expand }: Names): void {
  const annotation = expand('{labels}/ingress.class')
  const said = object.metadata.annotations?.[annotation]
  if (said !== undefined && has(specOf(object), 'ingressClassName'))
    causes.push(
      invalidValue(`annotations.${annotation}`, said, 'can not be set when the class field is also set'),
    )
}

function checkIngressSpec(causes: Causes, path: string, spec: JsonObject): void {
  const backend = objectIn(spec, 'defaultBackend')
  const rules = itemsIn(spec, 'rules')
  if (rules.length === 0 && backend === undefined)
    causes.push(
      invalidValue(path, spec['rules'] ?? [], 'either `defaultBackend` or `rules` must be specified'),
    )
  if (backend !== undefined) checkBackend(causes, `${path}.defaultBackend`, backend)
  for (const [i, rule] of rules.entries()) checkRule(causes, `${path}.rules[${i}]`, rule)
  for (const [i, tls] of itemsIn(spec, 'tls').entries()) {
    for (const [j, host] of textsIn(tls, 'hosts').entries()) {
      checkText(causes, `${path}.tls[${i}].hosts[${j}]`, host, hostProblem)
    }
    checkName(causes, `${path}.tls[${i}]`, tls, 'secretName', subdomainProblems)
  }
  checkGiven(causes, path, spec, 'ingressClassName', subdomainProblems)
}

const hostProblem = (host: string) => (host.includes('*') ? wildcardProblems(host) : subdomainProblems(host))

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']

function checkRule(causes: Causes, path: string, rule: JsonObject): void {
  const host = textIn(rule, 'host')
  if (host !== '') {
    if (parseAddress(host) !== undefined)
      causes.push(invalidValue(`${path}.host`, host, 'must be a DNS name, not an IP address'))
    checkText(causes, `${path}.host`, host, hostProblem)
  }
  const http = objectIn(rule, 'http')
  checkNotEmpty(causes, `${path}.http`, http, 'paths')
  for (const [i, one] of itemsIn(http, 'paths').entries()) {
    const at = `${path}.http.paths[${i}]`
    const type = textIn(one, 'pathType')
    if (!has(one, 'pathType')) {
      causes.push(required(`${at}.pathType`, 'pathType must be specified'))
      continue
    }
    if (pathTypes.includes(type)) checkPath(causes, at, textIn(one, 'path'), type)
    else causes.push(notSupported(`${at}.pathType`, type, pathTypes))
    checkBackend(causes, `${at}.backend`, objectIn(one, 'backend') ?? {})
  }
}

const invalidSequences = ['//', '/./', '/../', '%2f', '%2F']
const invalidSuffixes = ['/..', '/.']

function checkPath(causes: Causes, path: string, value: string, type: string): void {
  const at = `${path}.path`
  if (type === 'ImplementationSpecific' && value === '') return
  if (!value.startsWith('/')) causes.push(invalidValue(at, value, 'must be an absolute path'))
  if (type === 'ImplementationSpecific') return
  for (const sequence of invalidSequences) {
    if (value.includes(sequence)) causes.push(invalidValue(at, value, `must not contain '${sequence}'`))
  }
  for (const suffix of invalidSuffixes) {
    if (value.endsWith(suffix)) causes.push(invalidValue(at, value, `cannot end with '${suffix}'`))
  }
}

function checkBackend(causes: Causes, path: string, backend: JsonObject): void {
  const service = objectIn(backend, 'service')
  const resource = objectIn(backend, 'resource')
  if (service !== undefined && resource !== undefined)
    causes.push(invalidValue(path, '', 'cannot set both resource and service backends'))
  else if (service === undefined && resource === undefined)
    causes.push(invalidValue(path, '', 'resource or service backend is required'))
  else if (service !== undefined) checkService(causes, path, service)
  else checkReference(causes, `${path}.resource`, resource)
}

/** Something in the namespace of the object, of any kind. */
function checkReference(causes: Causes, path: string, reference: Given): void {
  checkGiven(causes, path, reference, 'apiGroup', subdomainProblems)
  for (const name of ['kind', 'name']) {
    if (textIn(reference, name) === '') causes.push(required(`${path}.${name}`, `${name} is required`))
    else checkName(causes, path, reference, name, pathSegmentProblems)
  }
}

/** `path` is that of the backend: what is wrong with the choice of the port is said of it. */
function checkService(causes: Causes, path: string, service: JsonObject): void {
  if (textIn(service, 'name') === '') causes.push(required(`${path}.service.name`))
  else checkName(causes, `${path}.service`, service, 'name', hostLabelProblems)
  const port = objectIn(service, 'port')
  const name = textIn(port, 'name')
  const number = numberIn(port, 'number') ?? 0
  const at = `${path}.service.port`
  if (name !== '' && number !== 0)
    causes.push(invalidValue(path, '', 'cannot set both port name & port number'))
  else if (name !== '') checkText(causes, `${at}.name`, name, portNameProblems)
  else if (number === 0) causes.push(required(path, 'port name or number is required'))
  else if (!isPort(number)) causes.push(invalidValue(`${at}.number`, number, portText))
}

const controllerLengthMax = 250

export const ingressClass: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const spec = specOf(object)
      const controller = textIn(spec, 'controller')
      if (controller === '') causes.push(required('spec.controller'))
      else if (controller.length > controllerLengthMax)
        causes.push({
          reason: 'FieldValueTooLong',
          message: `Too long: must have at most ${controllerLengthMax} bytes`,
          field: 'spec.controller',
        })
      if (controller !== '') checkDomainPrefixedPath(causes, 'spec.controller', controller)
      checkParameters(causes, 'spec.parameters', objectIn(spec, 'parameters'))
    }),
    changeFirst: true,
    validateUpdate: immutable('spec.controller'),
  },
})

function checkParameters(causes: Causes, path: string, parameters: Given): void {
  if (parameters === undefined) return
  checkReference(causes, path, parameters)
  const namespace = textIn(parameters, 'namespace')
  const scope = textIn(parameters, 'scope')
  switch (scope) {
    case 'Cluster':
      if (namespace !== '')
        causes.push(
          forbiddenField(
            `${path}.namespace`,
            "`parameters.namespace` cannot be set when `parameters.scope` is 'Cluster'",
          ),
        )
      break
    case 'Namespace':
      if (namespace === '')
        causes.push(required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"))
      else checkText(causes, `${path}.namespace`, namespace, labelNameProblems)
      break
    case '':
      causes.push(required(`${path}.scope`))
      break
    default:
      causes.push(notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace']))
  }
}

/** What a pod may be, alone or as a template. Source: Kubernetes API reference, PodSpec. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import {
  type Causes,
  checkBetween,
  checkGiven,
  checkName,
  checkNotEmpty,
  checkText,
} from '../validation/checks.ts'
import { addressProblems } from '../validation/ip.ts'
import { checkAnnotations, checkLabels } from '../validation/labels.ts'
import { labelNameProblems, qualifiedNameProblems, subdomainProblems } from '../validation/names.ts'
import { createResourceNames, type ResourceNames } from '../validation/quantities.ts'
import { type Given, has, itemsIn, objectIn, textIn, textsIn } from '../validation/read.ts'
import { checkContainers, checkHostNetworkPorts } from './container-rules.ts'
import { checkOs } from './os-rules.ts'
import { createPodAnnotationRules, type PodAnnotationRules } from './pod-annotation-rules.ts'
import { checkResources } from './resource-rules.ts'
import { checkScheduling } from './scheduling-rules.ts'
import { checkPodSecurityContext } from './security-rules.ts'
import { checkVolumes } from './volume-rules.ts'
import { checkHostProcess } from './windows-rules.ts'

export interface PodRules {
  readonly annotations: PodAnnotationRules
  /** A PodSpec. */
  checkSpec(causes: Causes, path: string, spec: JsonObject): void
  /**
   * A PodTemplateSpec. `restartPolicies`: the ones that the owner can live with; absent = any.
   */
  checkTemplate(causes: Causes, path: string, template: Given, restartPolicies?: readonly string[]): void
}

export function createPodRules(labelDomain: string): PodRules {
  const resources = createResourceNames(labelDomain)
  const checkSpec = (causes: Causes, path: string, spec: JsonObject): void => {
    checkPodSpec(causes, path, spec, resources)
  }
  const annotations = createPodAnnotationRules(labelDomain)
  return {
    annotations,
    checkSpec,
    checkTemplate(causes, path, template, restartPolicies) {
      const spec = objectIn(template, 'spec') ?? {}
      checkLabels(causes, path, objectIn(template, 'metadata'), 'labels')
      checkAnnotations(causes, path, objectIn(template, 'metadata'))
      annotations.check(causes, `${path}.annotations`, objectIn(template, 'metadata'), spec)
      checkSpec(causes, `${path}.spec`, spec)
      if (itemsIn(spec, 'ephemeralContainers').length > 0)
        causes.push(
          forbiddenField(
            `${path}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        )
      if (restartPolicies !== undefined) checkRestart(causes, `${path}.spec`, spec, restartPolicies)
    },
  }
}

function checkRestart(causes: Causes, path: string, spec: JsonObject, policies: readonly string[]): void {
  const policy = textIn(spec, 'restartPolicy')
  if (!policies.includes(policy)) causes.push(notSupported(`${path}.restartPolicy`, policy, policies))
}

const deadlineSecondsMax = 2_147_483_647

function checkPodSpec(causes: Causes, path: string, spec: JsonObject, resources: ResourceNames): void {
  const volumes = checkVolumes(causes, path, spec)
  checkNotEmpty(causes, path, spec, 'containers')
  checkContainers(causes, path, spec, { resources, volumes, ownUsers: spec['hostUsers'] === false })
  checkHostNetworkPorts(causes, path, spec)
  checkScheduling(causes, path, spec)
  checkDns(causes, path, spec)
  checkPodSecurityContext(causes, `${path}.securityContext`, objectIn(spec, 'securityContext'), spec)
  checkBetween(causes, path, spec, 'activeDeadlineSeconds', 1, deadlineSecondsMax)
  checkHostProcess(causes, path, spec)
  checkHostUsers(causes, path, spec)
  checkNames(causes, path, spec)
  const overhead = objectIn(spec, 'overhead')
  if (overhead !== undefined) checkResources(causes, `${path}.overhead`, { limits: overhead }, resources)
  if (spec['preemptionPolicy'] === '') causes.push(required(`${path}.preemptionPolicy`))
}

/** Users of its own (feature gate `UserNamespacesSupport`) go with no namespace of the node. */
function checkHostUsers(causes: Causes, path: string, spec: JsonObject): void {
  if (spec['hostUsers'] !== false) return
  for (const [name, shown] of [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const)
    if (spec[name] === true)
      causes.push(forbiddenField(`${path}.${shown}`, 'when `pod.Spec.HostUsers` is false'))
}

const operatingSystems = ['linux', 'windows']

const subdomains = ['serviceAccountName', 'nodeName', 'priorityClassName']

function checkNames(causes: Causes, path: string, spec: JsonObject): void {
  for (const name of subdomains) checkName(causes, path, spec, name, subdomainProblems)
  checkGiven(causes, path, spec, 'runtimeClassName', subdomainProblems)
  checkName(causes, path, spec, 'hostname', labelNameProblems)
  checkName(causes, path, spec, 'subdomain', labelNameProblems)
  for (const [i, gate] of itemsIn(spec, 'readinessGates').entries()) {
    const type = textIn(gate, 'conditionType')
    checkText(causes, `${path}.readinessGates[${i}].conditionType`, type, qualifiedNameProblems)
  }
  for (const [i, alias] of itemsIn(spec, 'hostAliases').entries()) {
    const at = `${path}.hostAliases[${i}]`
    checkText(causes, `${at}.ip`, textIn(alias, 'ip'), addressProblems)
    for (const [j, name] of textsIn(alias, 'hostnames').entries()) {
      checkText(causes, `${at}.hostnames[${j}]`, name, subdomainProblems)
    }
  }
  const os = objectIn(spec, 'os')
  const name = textIn(os, 'name')
  if (operatingSystems.includes(name)) checkOs(causes, path, spec)
  else if (name !== '') causes.push(notSupported(`${path}.os`, name, operatingSystems))
}

const nameserversMax = 3
const searchesMax = 32
const searchCharactersMax = 2048

function checkDns(causes: Causes, path: string, spec: JsonObject): void {
  const config = objectIn(spec, 'dnsConfig')
  const alone = textIn(spec, 'dnsPolicy') === 'None'
  const at = `${path}.dnsConfig`
  if (config === undefined) {
    if (alone) causes.push(required(at, 'must provide `dnsConfig` when `dnsPolicy` is None'))
    return
  }
  const nameservers = textsIn(config, 'nameservers')
  if (alone && nameservers.length === 0) {
    causes.push(
      required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
    )
    return
  }
  if (nameservers.length > nameserversMax)
    causes.push(
      invalidValue(`${at}.nameservers`, nameservers, `must not have more than ${nameserversMax} nameservers`),
    )
  for (const [i, server] of nameservers.entries()) {
    checkText(causes, `${at}.nameservers[${i}]`, server, addressProblems)
  }
  checkSearches(causes, `${at}.searches`, textsIn(config, 'searches'))
  for (const [i, option] of itemsIn(config, 'options').entries()) {
    if (textIn(option, 'name') === '') causes.push(required(`${at}.options[${i}]`, 'must not be empty'))
  }
}

function checkSearches(causes: Causes, path: string, searches: readonly string[]): void {
  if (searches.length > searchesMax)
    causes.push(invalidValue(path, searches, `must not have more than ${searchesMax} search paths`))
  if (searches.join(' ').length > searchCharactersMax)
    causes.push(
      invalidValue(
        path,
        searches,
        `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`,
      ),
    )
  for (const [i, search] of searches.entries()) {
    checkText(causes, `${path}[${i}]`, search.replace(/\.$/, ''), subdomainProblems)
  }
}

/** What is asked of a pod alone, and not of a template. */
export function checkPodAlone(causes: Causes, spec: JsonObject): void {
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const [i, container] of itemsIn(spec, list).entries()) {
      const image = textIn(container, 'image')
      if (image.trim() !== image)
        causes.push(
          invalidValue(`spec.${list}[${i}].image`, image, 'must not have leading or trailing whitespace'),
        )
    }
  }
  if (textIn(spec, 'serviceAccountName') === '') checkNoTokens(causes, spec)
}

function checkNoTokens(causes: Causes, spec: JsonObject): void {
  for (const [i, volume] of itemsIn(spec, 'volumes').entries()) {
    for (const [j, source] of itemsIn(objectIn(volume, 'projected'), 'sources').entries()) {
      if (has(source, 'serviceAccountToken'))
        causes.push(
          forbiddenField(
            `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
            'must not be specified when serviceAccountName is not set',
          ),
        )
    }
  }
}

/** What a pod alone may not have when it is made. */
export function checkNewPod(causes: Causes, spec: JsonObject): void {
  if (itemsIn(spec, 'ephemeralContainers').length > 0)
    causes.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'))
  if (itemsIn(spec, 'schedulingGates').length > 0 && has(spec, 'nodeName'))
    causes.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
}

/** Flow schemas and priority levels: who queues where, and how long. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import {
  type Causes,
  checkBetween,
  checkName,
  checkNotEmpty,
  checkNotNegative,
  checkText,
} from '../validation/checks.ts'
import { labelNameProblems, subdomainProblems } from '../validation/names.ts'
import { type Given, has, itemsIn, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

const methods = ['ByNamespace', 'ByUser']
const precedenceMax = 10_000
const exempt = 'exempt'

export function checkFlowSchema(causes: Causes, name: string, spec: JsonObject): void {
  const precedence = numberIn(spec, 'matchingPrecedence')
  const at = 'spec.matchingPrecedence'
  if (precedence !== undefined && precedence <= 0)
    causes.push(invalidValue(at, precedence, 'must be a positive value'))
  if (precedence !== undefined && precedence > precedenceMax)
    causes.push(invalidValue(at, precedence, `must not be greater than ${precedenceMax}`))
  if (precedence === 1 && name !== exempt)
    causes.push(invalidValue(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  checkName(
    causes,
    'spec.priorityLevelConfiguration',
    objectIn(spec, 'priorityLevelConfiguration'),
    'name',
    subdomainProblems,
  )
  const method = objectIn(spec, 'distinguisherMethod')
  if (method !== undefined && !methods.includes(textIn(method, 'type')))
    causes.push(notSupported('spec.distinguisherMethod.type', method, methods))
  for (const [i, rules] of itemsIn(spec, 'rules').entries()) checkRules(causes, `spec.rules[${i}]`, rules)
}

function checkRules(causes: Causes, path: string, rules: JsonObject): void {
  checkNotEmpty(causes, path, rules, 'subjects', 'subjects must contain at least one value')
  for (const [i, subject] of itemsIn(rules, 'subjects').entries()) {
    checkSubject(causes, `${path}.subjects[${i}]`, subject)
  }
  const resources = itemsIn(rules, 'resourceRules')
  const urls = itemsIn(rules, 'nonResourceRules')
  if (resources.length === 0 && urls.length === 0)
    causes.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  for (const [i, rule] of resources.entries()) {
    const at = `${path}.resourceRules[${i}]`
    for (const name of ['verbs', 'apiGroups', 'resources']) checkWildcard(causes, at, rule, name)
    if (textsIn(rule, 'namespaces').length > 0) checkWildcard(causes, at, rule, 'namespaces')
    if (textsIn(rule, 'namespaces').length === 0 && rule['clusterScope'] !== true)
      causes.push(
        required(
          `${at}.namespaces`,
          'resource rules that are not cluster scoped must supply at least one namespace',
        ),
      )
    for (const [j, namespace] of textsIn(rule, 'namespaces').entries()) {
      if (namespace === '*') continue
      for (const problem of labelNameProblems(namespace)) {
        const detail = `each member of this list must be '*' or a DNS-1123 label; ${problem}`
        causes.push(invalidValue(`${at}.namespaces[${j}]`, namespace, detail))
      }
    }
  }
  for (const [i, rule] of urls.entries()) {
    const at = `${path}.nonResourceRules[${i}]`
    checkWildcard(causes, at, rule, 'verbs')
    checkWildcard(causes, at, rule, 'nonResourceURLs', 'non-resource URLs')
    for (const [j, url] of textsIn(rule, 'nonResourceURLs').entries())
      checkText(causes, `${at}.nonResourceURLs[${j}]`, url, urlPathProblems)
  }
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const noneOf: ReadonlyMap<string, string> = new Map([
  ['apiGroups', 'resource rules must supply at least one api group'],
  ['nonResourceURLs', 'nonResourceURLs must contain at least one value'],
  ['resources', 'resource rules must supply at least one resource'],
  ['verbs', 'verbs must contain at least one value'],
])
const others: ReadonlyMap<string, string> = new Map([['apiGroups', 'api groups']])

function checkWildcard(
  causes: Causes,
  path: string,
  rule: JsonObject,
  name: string,
  what = others.get(name) ?? name,
): void {
  const values = textsIn(rule, name)
  const at = `${path}.${name}`
  checkNotEmpty(causes, path, rule, name, noneOf.get(name))
  if (values.includes('*')) {
    if (values.length > 1)
      causes.push(invalidValue(at, values, `if '*' is present, must not specify other ${what}`))
  } else if (name === 'verbs' && values.some((verb) => !verbs.includes(verb)))
    causes.push(notSupported(at, values, verbs))
}

/** A path, or the start of one: a star may stand for what follows the last slash. */
function urlPathProblems(path: string): readonly string[] {
  if (path === '') return ['must not be empty']
  if (path === '/' || path === '*') return []
  if (!path.startsWith('/')) return ['must start with slash']
  if (path.includes(' ')) return ['must not contain white-space']
  if (path.includes('//')) return ['must not contain double slash']
  const star = path.indexOf('*')
  if (star >= 0 && (star !== path.length - 1 || !path.endsWith('/*')))
    return ['wildcard can only do suffix matching']
  return []
}

/** Kind of subject → the member that describes it. */
const members: ReadonlyMap<string, string> = new Map([
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
])

function checkSubject(causes: Causes, path: string, subject: JsonObject): void {
  const kind = textIn(subject, 'kind')
  const expected = members.get(kind)
  if (expected === undefined) {
    causes.push(notSupported(`${path}.kind`, kind, [...members.keys()]))
    return
  }
  if (!has(subject, expected))
    causes.push(required(`${path}.${expected}`, `${expected} is required when subject kind is '${kind}'`))
  if (expected === 'serviceAccount') checkAccount(causes, `${path}.${expected}`, objectIn(subject, expected))
  for (const [other, name] of members) {
    if (name !== expected && has(subject, name))
      causes.push(
        forbiddenField(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`),
      )
  }
}

function checkAccount(causes: Causes, path: string, account: Given): void {
  if (textIn(account, 'name') !== '*') checkName(causes, path, account, 'name', subdomainProblems)
  checkName(causes, path, account, 'namespace', labelNameProblems)
}

export function checkPriorityLevel(causes: Causes, name: string, spec: JsonObject): void {
  const type = textIn(spec, 'type')
  if (type !== 'Exempt' && type !== 'Limited')
    causes.push(notSupported('spec.type', type, ['Exempt', 'Limited']))
  if ((type === 'Exempt') !== (name === exempt))
    causes.push(invalidValue('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'"))
  for (const name of ['limited', 'exempt']) {
    const part = objectIn(spec, name)
    checkNotNegative(causes, `spec.${name}`, part, 'nominalConcurrencyShares')
    checkBetween(causes, `spec.${name}`, part, 'lendablePercent', 0, 100)
  }
  if (type === 'Exempt' && has(spec, 'limited'))
    causes.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'))
  if (type !== 'Limited') return
  if (has(spec, 'exempt')) causes.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'))
  const limited = objectIn(spec, 'limited')
  if (limited === undefined) {
    causes.push(required('spec.limited', 'must not be empty when type is Limited'))
    return
  }
  checkNotNegative(causes, 'spec.limited', limited, 'borrowingLimitPercent')
  checkResponse(causes, 'spec.limited.limitResponse', objectIn(limited, 'limitResponse') ?? {})
}

/** The hand is dealt by the bits of one hash. */
const hashBitsMax = 60
const queuesMax = 10_000_000

function checkResponse(causes: Causes, path: string, response: JsonObject): void {
  const queuing = objectIn(response, 'queuing')
  const type = textIn(response, 'type')
  switch (type) {
    case 'Reject':
      if (queuing !== undefined)
        causes.push(
          forbiddenField(`${path}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'),
        )
      break
    case 'Queue':
      if (queuing === undefined)
        causes.push(required(`${path}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'))
      else checkQueuing(causes, `${path}.queuing`, queuing)
      break
    default:
      causes.push(notSupported(`${path}.type`, type, ['Queue', 'Reject']))
  }
}

function checkQueuing(causes: Causes, path: string, queuing: JsonObject): void {
  const queues = numberIn(queuing, 'queues') ?? 0
  const hand = numberIn(queuing, 'handSize') ?? 0
  for (const name of ['queueLengthLimit', 'queues', 'handSize']) {
    const value = numberIn(queuing, name) ?? 0
    if (value <= 0) causes.push(invalidValue(`${path}.${name}`, value, 'must be positive'))
  }
  if (queues > queuesMax)
    causes.push(invalidValue(`${path}.queues`, queues, `must not be greater than ${queuesMax}`))
  if (hand > queues)
    causes.push(invalidValue(`${path}.handSize`, hand, `should not be greater than queues (${queues})`))
  else if (queues > 0 && Math.ceil(Math.log2(queues) * hand) > hashBitsMax)
    causes.push(
      invalidValue(
        `${path}.handSize`,
        hand,
        `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${hashBitsMax}`,
      ),
    )
}

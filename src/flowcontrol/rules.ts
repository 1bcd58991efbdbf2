/**
 * Which requests a flow schema is for: one of its rules has to name both who asks and what they ask for. Pure; the
 * result of a request is remembered elsewhere.
 *
 * Source: Kubernetes API reference, FlowSchema v1.
 */

import { splitServiceAccountName } from '../authn/service-account-name.ts'
import type { JsonObject } from '../json.ts'
import { type RequestInfo, scopeNamespace } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import { itemsIn, objectIn, textIn, textsIn } from '../types/validation/read.ts'

export type Matcher = (user: User, info: RequestInfo) => boolean

const all = '*'

/** @param spec of a FlowSchema */
export function matcherOf(spec: JsonObject): Matcher {
  const rules = itemsIn(spec, 'rules').map(ruleMatcher)
  return (user, info) => rules.some((matches) => matches(user, info))
}

function ruleMatcher(rule: JsonObject): Matcher {
  const subjects = itemsIn(rule, 'subjects').map(subjectMatcher)
  const resources = itemsIn(rule, 'resourceRules').map(resourceMatcher)
  const paths = itemsIn(rule, 'nonResourceRules').map(pathMatcher)
  return (user, info) =>
    subjects.some((matches) => matches(user)) &&
    (info.type === 'resource' ? resources : paths).some((matches) => matches(info))
}

function subjectMatcher(subject: JsonObject): (user: User) => boolean {
  switch (textIn(subject, 'kind')) {
    case 'User': {
      const name = textIn(objectIn(subject, 'user'), 'name')
      return (user) => name === all || user.name === name
    }
    case 'Group': {
      const name = textIn(objectIn(subject, 'group'), 'name')
      return (user) => name === all || user.groups.includes(name)
    }
    case 'ServiceAccount': {
      const account = objectIn(subject, 'serviceAccount')
      return accountMatcher(textIn(account, 'namespace'), textIn(account, 'name'))
    }
    default:
      return () => false
  }
}

function accountMatcher(namespace: string, name: string): (user: User) => boolean {
  return (user) => {
    const account = splitServiceAccountName(user.name)
    return account?.namespace === namespace && (name === all || account.name === name)
  }
}

function listMatcher(rule: JsonObject, field: string): (value: string) => boolean {
  const listed = new Set(textsIn(rule, field))
  return listed.has(all) ? () => true : (value) => listed.has(value)
}

function resourceMatcher(rule: JsonObject): (info: RequestInfo) => boolean {
  const verb = listMatcher(rule, 'verbs')
  const group = listMatcher(rule, 'apiGroups')
  const resource = listMatcher(rule, 'resources')
  const namespace = listMatcher(rule, 'namespaces')
  const clusterScope = rule['clusterScope'] === true
  return (info) => {
    if (info.type !== 'resource' || !verb(info.verb ?? '') || !group(info.group)) return false
    const asked = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
    if (!resource(asked)) return false
    const scope = scopeNamespace(info)
    return scope === '' ? clusterScope : namespace(scope)
  }
}

function pathMatcher(rule: JsonObject): (info: RequestInfo) => boolean {
  const verb = listMatcher(rule, 'verbs')
  const path = listMatcher(rule, 'nonResourceURLs')
  const prefixes = textsIn(rule, 'nonResourceURLs')
    .filter((url) => url.endsWith('/*'))
    .map((url) => url.slice(0, -1))
  return (info) =>
    info.type === 'nonResource' &&
    verb(info.verb) &&
    (path(info.path) || prefixes.some((prefix) => info.path.startsWith(prefix)))
}

/**
 * The notation of the default roles, and how it is read.
 *
 *     in system                                   the roles below live in <prefix>-system
 *     [Gate] name +edit = view -> group a, user b  a role; only while the feature gate is open
 *       read,create core,apps: pods, pods/log      a rule: verbs, groups, resources
 *         named a, b                               … of these names only
 *       get paths: /healthz, /version              a rule for paths
 *
 * `+edit`: its rules go into the role `edit` (label aggregate-to-edit). `= view`: its rules are those of all roles with
 * `+view`. `-> …`: bound to these subjects, by a binding of the same name or of the one in parentheses; an empty list
 * makes a binding of nobody. `read` is get, list and watch; `write` is create, delete, deletecollection, patch and
 * update; `core` is the group without a name. A line that is indented by four or more goes on with the one before.
 *
 * Source: specification, "Access-control resources", default roles.
 */

import type { JsonObject } from '../../../json.ts'
import type { Names } from '../../../names/names.ts'

/** Objects to make, as a client would send them. */
export interface Policy {
  readonly roles: readonly PolicyObject[]
  readonly bindings: readonly PolicyObject[]
}

export interface PolicyObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }
}

interface NotationOptions {
  readonly names: Names
  isGateOpen(gate: string): boolean
  /** Roles without `->` are bound to the service account of their name, and are called `system:controller:<name>`. */
  readonly controllers?: boolean
}

interface RoleLine {
  readonly name: string
  readonly feeds: readonly string[]
  readonly gathers: string | undefined
  readonly bindingName: string
  /** Undefined = no binding. */
  readonly subjects: readonly string[] | undefined
}

const aliases: Readonly<Record<string, readonly string[]>> = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
}

/** A bug (throws) when the text is not in the notation. */
export function readPolicy(text: string, options: NotationOptions): Policy {
  const { names, isGateOpen, controllers = false } = options
  const group = names.expand('rbac.authorization.{groups}')
  const roles: PolicyObject[] = []
  const bindings: PolicyObject[] = []
  let namespace = ''
  let rules: JsonObject[] | undefined = []
  for (const whole of logicalLines(names.expand(text))) {
    const { gate, line } = gated(whole)
    const isOpen = gate === undefined || isGateOpen(gate)
    if (line.startsWith('in ')) {
      namespace = `${names.namespacePrefix}-${line.slice(3)}`
    } else if (line.startsWith('  ')) {
      if (isOpen) rules?.push(readRule(line.trim()))
    } else if (!isOpen) {
      rules = undefined
    } else {
      const role = controllers ? controllerRole(line) : readRole(line)
      rules = []
      roles.push(roleObject(role, namespace, rules, names, group))
      if (role.subjects !== undefined) bindings.push(bindingObject(role, namespace, names, group))
    }
  }
  return { roles, bindings }
}

function logicalLines(text: string): readonly string[] {
  return text
    .replace(/\n {4,}/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
}

function gated(line: string): { readonly gate: string | undefined; readonly line: string } {
  const match = /^( *)\[(\w+)\] (.*)$/.exec(line)
  return match === null ? { gate: undefined, line } : { gate: match[2], line: `${match[1]}${match[3]}` }
}

function readRole(line: string): RoleLine {
  const match = /^(\S+)((?: \+\w+)*)(?: = (\w+))?(?: ->(?: \((\S+)\))?(.*))?$/.exec(line)
  if (match === null) throw new TypeError(`not a role: ${line}`)
  const [, name = '', feeds = '', gathers, bindingName = name, subjects] = match
  return {
    name,
    feeds: feeds.split(' +').filter((word) => word !== ''),
    gathers,
    bindingName,
    subjects: subjects === undefined ? undefined : items(subjects),
  }
}

function controllerRole(name: string): RoleLine {
  const full = `system:controller:${name}`
  return { name: full, feeds: [], gathers: undefined, bindingName: full, subjects: [`account ${name}`] }
}

function readRule(line: string): JsonObject {
  const match = /^(\S+) (\S+): (.+?)(?: named (.+))?$/.exec(line)
  if (match === null) throw new TypeError(`not a rule: ${line}`)
  const [, verbWords = '', groups = '', what = '', resourceNames] = match
  const verbs = verbWords
    .split(',')
    .flatMap((word) => aliases[word] ?? [word])
    .sort()
  if (groups === 'paths') return { verbs, nonResourceURLs: items(what) }
  return {
    verbs,
    apiGroups: groups.split(',').map((word) => (word === 'core' ? '' : word)),
    resources: items(what),
    ...(resourceNames === undefined ? {} : { resourceNames: items(resourceNames) }),
  }
}

function items(text: string): readonly string[] {
  return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]))
}

function roleObject(
  { name, feeds, gathers }: RoleLine,
  namespace: string,
  rules: readonly JsonObject[],
  names: Names,
  group: string,
): PolicyObject {
  const aggregation = (role: string) => [`${group}/aggregate-to-${role}`, 'true'] as const
  const matchLabels = gathers === undefined ? undefined : Object.fromEntries([aggregation(gathers)])
  return {
    apiVersion: `${group}/v1`,
    kind: namespace === '' ? 'ClusterRole' : 'Role',
    metadata: metadataOf(name, namespace, names, Object.fromEntries(feeds.map(aggregation))),
    rules,
    ...(matchLabels === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } }),
  }
}

function bindingObject(
  { name, bindingName, subjects = [] }: RoleLine,
  namespace: string,
  names: Names,
  group: string,
): PolicyObject {
  const kind = namespace === '' ? 'ClusterRole' : 'Role'
  return {
    apiVersion: `${group}/v1`,
    kind: `${kind}Binding`,
    metadata: metadataOf(bindingName, namespace, names, {}),
    ...(subjects.length === 0 ? {} : { subjects: subjects.map((one) => readSubject(one, names, group)) }),
    roleRef: { apiGroup: group, kind, name },
  }
}

function readSubject(text: string, { systemNamespace }: Names, apiGroup: string): JsonObject {
  const [word = '', name = ''] = text.split(' ')
  switch (word) {
    case 'account':
      return { kind: 'ServiceAccount', name, namespace: systemNamespace }
    case 'group':
      return { kind: 'Group', apiGroup, name }
    case 'user':
      return { kind: 'User', apiGroup, name }
    default:
      throw new TypeError(`not a subject: ${text}`)
  }
}

function metadataOf(
  name: string,
  namespace: string,
  names: Names,
  labels: Readonly<Record<string, string>>,
): PolicyObject['metadata'] {
  return {
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels: { [names.expand('{labels}/bootstrapping')]: 'rbac-defaults', ...labels },
    annotations: { [autoupdateAnnotation(names)]: 'true' },
  }
}

/** `false` = the server leaves this object as it is. */
export function autoupdateAnnotation(names: Names): string {
  return names.expand('rbac.authorization.{labels}/autoupdate')
}

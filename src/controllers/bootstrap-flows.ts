/**
 * The flow schemas and priority levels that a new cluster has, in short notation: who, what, with which precedence, at
 * which level.
 */

import type { JsonObject, JsonValue } from '../json.ts'
import type { Names } from '../names/names.ts'

/** One object without apiVersion and kind. */
export interface BootstrapObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly [field: string]: JsonValue | undefined
}

interface Queues {
  readonly queues: number
  readonly handSize: number
}

/** Name, shares, percent that others may borrow, queues (none = refuse at once). */
const levels: readonly (readonly [string, number, number, Queues?])[] = [
  ['catch-all', 5, 0],
  ['global-default', 20, 50, { queues: 128, handSize: 6 }],
  ['leader-election', 10, 0, { queues: 16, handSize: 4 }],
  ['node-high', 40, 25, { queues: 64, handSize: 6 }],
  ['system', 30, 33, { queues: 64, handSize: 6 }],
  ['workload-high', 40, 50, { queues: 128, handSize: 6 }],
  ['workload-low', 100, 90, { queues: 128, handSize: 6 }],
]
const queueLengthLimit = 50

/** The server keeps the spec of an object that says so what it should be. */
function described(name: string, spec: JsonObject, names: Names): BootstrapObject {
  const annotations = { [names.expand('apf.{labels}/autoupdate-spec')]: 'true' }
  return { metadata: { name, annotations }, spec }
}

export function priorityLevels(names: Names): readonly BootstrapObject[] {
  const limited = levels.map(([name, nominalConcurrencyShares, lendablePercent, queues]) => {
    const limitResponse =
      queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing: { ...queues, queueLengthLimit } }
    const spec = { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } }
    return described(name, spec, names)
  })
  const exempt = { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }
  return [described('exempt', exempt, names), ...limited]
}

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } })
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } })

const everybody = [group('system:unauthenticated'), group('system:authenticated')]
const anyPath: JsonObject = { verbs: ['*'], nonResourceURLs: ['*'] }
const anyResource: JsonObject = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const everything: JsonObject = { resourceRules: [anyResource], nonResourceRules: [anyPath] }

/** Reading and writing of resources in all namespaces. */
function held(apiGroup: string, ...resources: readonly string[]): JsonObject {
  return { verbs: ['get', 'create', 'update'], apiGroups: [apiGroup], resources, namespaces: ['*'] }
}

/** Name, precedence, level, what tells flows apart ('' = nothing), subjects, rules. */
type Flow = readonly [
  string,
  number,
  string,
  'ByUser' | 'ByNamespace' | '',
  readonly JsonObject[],
  JsonObject,
]

export function flowSchemas(names: Names): readonly BootstrapObject[] {
  return flowsOf(names).map(([name, matchingPrecedence, level, distinguisher, subjects, rules]) => {
    const spec = {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher === '' ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: [{ subjects, ...rules }],
    }
    return described(name, spec, names)
  })
}

function flowsOf(names: Names): readonly Flow[] {
  const controllerManager = user(names.expand('system:{prefix}-controller-manager'))
  const scheduler = user(names.expand('system:{prefix}-scheduler'))
  const systemAccount = (name: string): JsonObject => ({
    kind: 'ServiceAccount',
    serviceAccount: { namespace: names.systemNamespace, name },
  })
  const nodes = [group('system:nodes')]
  const coordination = names.expand('coordination.{groups}')
  const leases = held(coordination, 'leases')
  const health = { verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }
  const ofNodes = {
    verbs: ['*'],
    apiGroups: [''],
    resources: ['nodes', 'nodes/status'],
    clusterScope: true,
    namespaces: ['*'],
  }
  const nodeLeases = { verbs: ['*'], apiGroups: [coordination], resources: ['leases'], namespaces: ['*'] }
  const endpointControllers = [
    controllerManager,
    systemAccount('endpoint-controller'),
    systemAccount('endpointslicemirroring-controller'),
  ]
  return [
    ['exempt', 1, 'exempt', '', [group('system:masters')], everything],
    ['probes', 2, 'exempt', '', everybody, { nonResourceRules: [health] }],
    [
      'system-leader-election',
      100,
      'leader-election',
      'ByUser',
      [controllerManager, scheduler, systemAccount('*')],
      { resourceRules: [leases] },
    ],
    [
      'endpoint-controller',
      150,
      'workload-high',
      'ByUser',
      endpointControllers,
      { resourceRules: [held('', 'endpoints')] },
    ],
    [
      'workload-leader-election',
      200,
      'leader-election',
      'ByUser',
      [systemAccount('*')],
      { resourceRules: [held('', 'endpoints', 'configmaps'), leases] },
    ],
    ['system-node-high', 400, 'node-high', 'ByUser', nodes, { resourceRules: [ofNodes, nodeLeases] }],
    ['system-nodes', 500, 'system', 'ByUser', nodes, everything],
    [
      names.expand('{prefix}-controller-manager'),
      800,
      'workload-high',
      'ByNamespace',
      [controllerManager],
      everything,
    ],
    [names.expand('{prefix}-scheduler'), 800, 'workload-high', 'ByNamespace', [scheduler], everything],
    [
      names.expand('{prefix}-system-service-accounts'),
      900,
      'workload-high',
      'ByNamespace',
      [systemAccount('*')],
      everything,
    ],
    ['service-accounts', 9000, 'workload-low', 'ByUser', [group('system:serviceaccounts')], everything],
    ['global-default', 9900, 'global-default', 'ByUser', everybody, everything],
    ['catch-all', 10_000, 'catch-all', 'ByUser', everybody, everything],
  ]
}

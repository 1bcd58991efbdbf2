/**
 * What a 1.30 server adds to a small object, kind by kind: defaults, what its strategy decides, and what JSON prints
 * of empty members. Added elsewhere, and so not here: values of admission plugins and of allocators (cluster IPs,
 * node ports).
 */

import t from 'tap'
import { isJsonObject, type JsonValue } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { allGates, codec, created, everything, types } from './types.ts'

/** Body without its envelope, and by path what is there besides. */
interface Case {
  readonly of: string
  readonly body: Readonly<Record<string, unknown>>
  readonly added: Readonly<Record<string, JsonValue>>
}

const container = { name: 'c', image: 'app' }
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
const selector = { matchLabels: { a: 'b' } }

/** Of a pod template, at this path. */
function templateAt(path: string): Record<string, JsonValue> {
  return {
    [`${path}.metadata.creationTimestamp`]: null,
    ...podSpecAt(`${path}.spec`),
  }
}

function podSpecAt(path: string): Record<string, JsonValue> {
  return {
    ...containerAt(`${path}.containers.0`),
    [`${path}.restartPolicy`]: 'Always',
    [`${path}.terminationGracePeriodSeconds`]: 30,
    [`${path}.dnsPolicy`]: 'ClusterFirst',
    [`${path}.securityContext`]: {},
    [`${path}.schedulerName`]: 'default-scheduler',
  }
}

function containerAt(path: string, pull = 'Always'): Record<string, JsonValue> {
  return {
    [`${path}.resources`]: {},
    [`${path}.terminationMessagePath`]: '/dev/termination-log',
    [`${path}.terminationMessagePolicy`]: 'File',
    [`${path}.imagePullPolicy`]: pull,
  }
}

const pod = { ...podSpecAt('spec'), 'spec.enableServiceLinks': true, 'status.phase': 'Pending' }

const cases: readonly Case[] = [
  {
    of: 'v1 Namespace',
    body: {},
    added: {
      'metadata.labels': { 'kubernetes.io/metadata.name': 'thing' },
      'spec.finalizers': ['kubernetes'],
      'status.phase': 'Active',
    },
  },
  { of: 'v1 ConfigMap', body: { data: { a: '1' } }, added: {} },
  { of: 'v1 Secret', body: { data: { a: 'MQ==' } }, added: { type: 'Opaque' } },
  {
    of: 'v1 Secret',
    body: { type: 'example.com/own', stringData: { b: 'x' } },
    added: { 'data.b': 'eA==', stringData: '(gone)' },
  },
  { of: 'v1 ServiceAccount', body: {}, added: {} },
  {
    of: 'v1 Endpoints',
    body: { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
    added: { 'subsets.0.ports.0.protocol': 'TCP' },
  },
  {
    of: 'v1 Event',
    body: { involvedObject: { kind: 'Pod', name: 'p' } },
    added: {
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
  {
    of: 'events.k8s.io/v1 Event',
    body: { eventTime: '2024-01-01T00:00:00Z', reason: 'R', regarding: { kind: 'Pod' } },
    added: {
      eventTime: '2024-01-01T00:00:00.000000Z',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      // The stored form is the one of the core group, which always prints its two.
      reportingController: '(absent)',
    },
  },
  {
    of: 'v1 Node',
    body: { status: { capacity: { cpu: '0.5', memory: '2048Mi' } } },
    added: {
      spec: {},
      'status.capacity': { cpu: '500m', memory: '2Gi' },
      'status.allocatable': { cpu: '500m', memory: '2Gi' },
      'status.daemonEndpoints.kubeletEndpoint.Port': 0,
      'status.nodeInfo': {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    },
  },
  {
    of: 'v1 PersistentVolume',
    body: {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    },
    added: {
      'spec.hostPath.type': '',
      'spec.persistentVolumeReclaimPolicy': 'Retain',
      'spec.volumeMode': 'Filesystem',
      'status.phase': 'Pending',
      'status.lastPhaseTransitionTime': '2024-01-01T00:00:00Z',
    },
  },
  {
    of: 'v1 PersistentVolumeClaim',
    body: {
      spec: {
        resources: { requests: { storage: '1Gi' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
      },
    },
    added: {
      'spec.volumeMode': 'Filesystem',
      'spec.dataSource.apiGroup': null,
      'spec.dataSourceRef': { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'x' },
      'status.phase': 'Pending',
    },
  },
  {
    of: 'v1 LimitRange',
    body: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2', memory: '1Gi' },
            min: { cpu: '1' },
            defaultRequest: { memory: '1Mi' },
          },
        ],
      },
    },
    added: {
      'spec.limits.0.default': { cpu: '2', memory: '1Gi' },
      'spec.limits.0.defaultRequest': { cpu: '2', memory: '1Mi' },
    },
  },
  {
    of: 'v1 ResourceQuota',
    body: { spec: { hard: { pods: 5, cpu: '0.1m' } } },
    added: { 'spec.hard': { cpu: '1m', pods: '5' }, status: {} },
  },
  {
    of: 'v1 Service',
    body: {
      spec: { clusterIP: 'None', ports: [{ port: 80 }, { port: 443, targetPort: 'https', protocol: 'UDP' }] },
    },
    added: {
      'spec.ports.0.protocol': 'TCP',
      'spec.ports.0.targetPort': 80,
      'spec.type': 'ClusterIP',
      'spec.sessionAffinity': 'None',
      'spec.internalTrafficPolicy': 'Cluster',
      'status.loadBalancer': {},
    },
  },
  {
    of: 'v1 Service',
    body: { spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
    added: {
      'spec.ports.0.protocol': 'TCP',
      'spec.ports.0.targetPort': 80,
      'spec.externalTrafficPolicy': 'Cluster',
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 10_800,
      'spec.allocateLoadBalancerNodePorts': true,
      'spec.internalTrafficPolicy': 'Cluster',
      'status.loadBalancer': {},
    },
  },
  {
    of: 'v1 Service',
    body: { spec: { type: 'ExternalName', externalName: 'x.example.com' } },
    added: { 'spec.sessionAffinity': 'None', 'status.loadBalancer': {} },
  },
  {
    of: 'v1 Pod',
    body: { spec: { containers: [container] } },
    added: { ...pod, 'status.qosClass': 'BestEffort' },
  },
  {
    of: 'v1 Pod',
    body: {
      spec: {
        hostNetwork: true,
        serviceAccountName: 'sa',
        schedulingGates: [{ name: 'example.com/g' }],
        containers: [
          {
            name: 'c',
            image: 'registry:5000/app:1.2',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '1', memory: '1Gi' } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { grpc: { port: 80 } },
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          },
          {
            name: 'd',
            image: 'registry:5000/app@sha256:0',
            resources: { limits: { cpu: '1', memory: '1Gi' } },
          },
        ],
        volumes: [
          { name: 'a' },
          { name: 'b', secret: { secretName: 's' } },
          { name: 'c', hostPath: { path: '/' } },
        ],
      },
    },
    added: {
      ...pod,
      ...containerAt('spec.containers.0', 'IfNotPresent'),
      ...containerAt('spec.containers.1', 'IfNotPresent'),
      'spec.serviceAccount': 'sa',
      'spec.containers.0.ports.0.hostPort': 80,
      'spec.containers.0.ports.0.protocol': 'TCP',
      'spec.containers.0.resources': {
        limits: { cpu: '1', memory: '1Gi' },
        requests: { cpu: '1', memory: '1Gi' },
      },
      'spec.containers.1.resources': {
        limits: { cpu: '1', memory: '1Gi' },
        requests: { cpu: '1', memory: '1Gi' },
      },
      ...probeAt('spec.containers.0.livenessProbe'),
      ...probeAt('spec.containers.0.readinessProbe'),
      'spec.containers.0.livenessProbe.httpGet.path': '/',
      'spec.containers.0.livenessProbe.httpGet.scheme': 'HTTP',
      'spec.containers.0.readinessProbe.grpc.service': '',
      'spec.containers.0.env.0.valueFrom.fieldRef.apiVersion': 'v1',
      'spec.volumes.0.emptyDir': {},
      'spec.volumes.1.secret.defaultMode': 420,
      'spec.volumes.2.hostPath.type': '',
      'status.conditions': [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: null,
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
      'status.qosClass': 'Guaranteed',
    },
  },
  { of: 'v1 PodTemplate', body: { template }, added: templateAt('template') },
  {
    of: 'v1 ReplicationController',
    body: { spec: { template } },
    added: {
      'metadata.labels': { a: 'b' },
      'spec.replicas': 1,
      'spec.selector': { a: 'b' },
      ...templateAt('spec.template'),
      'status.replicas': 0,
    },
  },
  {
    of: 'apps/v1 Deployment',
    body: { spec: { selector, template } },
    added: {
      'spec.replicas': 1,
      ...templateAt('spec.template'),
      'spec.strategy': { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      'spec.revisionHistoryLimit': 10,
      'spec.progressDeadlineSeconds': 600,
      status: {},
    },
  },
  {
    of: 'apps/v1 Deployment',
    body: {
      spec: { replicas: 0, selector, template, strategy: { type: 'Recreate' } },
      status: { replicas: 9 },
    },
    added: {
      ...templateAt('spec.template'),
      'spec.revisionHistoryLimit': 10,
      'spec.progressDeadlineSeconds': 600,
      status: {},
    },
  },
  {
    of: 'apps/v1 ReplicaSet',
    body: { spec: { selector, template } },
    added: { 'spec.replicas': 1, ...templateAt('spec.template'), 'status.replicas': 0 },
  },
  {
    of: 'apps/v1 StatefulSet',
    body: {
      spec: {
        selector,
        template,
        serviceName: 's',
        volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { resources: {} } }],
      },
    },
    added: {
      'spec.replicas': 1,
      ...templateAt('spec.template'),
      'spec.volumeClaimTemplates.0': {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        metadata: { name: 'd', creationTimestamp: null },
        spec: { resources: {}, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
      'spec.podManagementPolicy': 'OrderedReady',
      'spec.updateStrategy': { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      'spec.revisionHistoryLimit': 10,
      'spec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
      'status.replicas': 0,
      'status.availableReplicas': 0,
    },
  },
  {
    of: 'apps/v1 DaemonSet',
    body: { spec: { selector, template } },
    added: {
      'metadata.annotations': { 'deprecated.daemonset.template.generation': '1' },
      ...templateAt('spec.template'),
      'spec.updateStrategy': { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      'spec.revisionHistoryLimit': 10,
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
  },
  {
    of: 'batch/v1 Job',
    body: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
    added: {
      'metadata.labels': jobLabels(),
      'spec.parallelism': 1,
      'spec.completions': 1,
      'spec.backoffLimit': 6,
      'spec.selector.matchLabels': { 'batch.kubernetes.io/controller-uid': 'uid-1' },
      'spec.manualSelector': false,
      ...templateAt('spec.template'),
      'spec.template.metadata.labels': jobLabels(),
      'spec.template.spec.restartPolicy': 'Never',
      'spec.completionMode': 'NonIndexed',
      'spec.suspend': false,
      'spec.podReplacementPolicy': 'TerminatingOrFailed',
      status: {},
    },
  },
  {
    of: 'batch/v1 CronJob',
    body: { spec: { schedule: '@daily', jobTemplate: { spec: { template } } } },
    added: {
      'spec.concurrencyPolicy': 'Allow',
      'spec.suspend': false,
      'spec.jobTemplate.metadata.creationTimestamp': null,
      ...templateAt('spec.jobTemplate.spec.template'),
      'spec.successfulJobsHistoryLimit': 3,
      'spec.failedJobsHistoryLimit': 1,
      status: {},
    },
  },
  {
    of: 'autoscaling/v1 HorizontalPodAutoscaler',
    body: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
    added: {
      'spec.minReplicas': 1,
      'spec.targetCPUUtilizationPercentage': 80,
      'status.currentReplicas': 0,
      'status.desiredReplicas': 0,
    },
  },
  {
    of: 'autoscaling/v2 HorizontalPodAutoscaler',
    body: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, behavior: {} } },
    added: {
      'spec.minReplicas': 1,
      'spec.metrics': [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
      'spec.behavior': {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
      },
      'status.desiredReplicas': 0,
      'status.currentMetrics': null,
    },
  },
  {
    of: 'networking.k8s.io/v1 NetworkPolicy',
    body: { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
    added: { 'spec.egress.0.ports.0.protocol': 'TCP', 'spec.policyTypes': ['Ingress', 'Egress'] },
  },
  { of: 'networking.k8s.io/v1 Ingress', body: { spec: {} }, added: { 'status.loadBalancer': {} } },
  {
    of: 'networking.k8s.io/v1 IngressClass',
    body: { spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n' } } },
    added: { 'spec.parameters.scope': 'Cluster' },
  },
  {
    of: 'policy/v1 PodDisruptionBudget',
    body: { spec: { minAvailable: 1, selector } },
    added: { status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 } },
  },
  {
    of: 'rbac.authorization.k8s.io/v1 RoleBinding',
    body: {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'jane' },
        { kind: 'ServiceAccount', name: 'sa', namespace: 'x' },
      ],
    },
    added: {
      'roleRef.apiGroup': 'rbac.authorization.k8s.io',
      'subjects.0.apiGroup': 'rbac.authorization.k8s.io',
    },
  },
  { of: 'rbac.authorization.k8s.io/v1 ClusterRole', body: {}, added: { rules: null } },
  {
    of: 'storage.k8s.io/v1 StorageClass',
    body: { provisioner: 'example.com/p' },
    added: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
  {
    of: 'storage.k8s.io/v1 CSIDriver',
    body: {},
    added: {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ['Persistent'],
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  },
  { of: 'storage.k8s.io/v1 CSINode', body: { spec: { drivers: [] } }, added: { 'spec.drivers': null } },
  {
    of: 'storage.k8s.io/v1 VolumeAttachment',
    body: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    added: { 'status.attached': false },
  },
  {
    of: 'scheduling.k8s.io/v1 PriorityClass',
    body: { value: 5 },
    added: { preemptionPolicy: 'PreemptLowerPriority' },
  },
  { of: 'coordination.k8s.io/v1 Lease', body: {}, added: { spec: {} } },
  {
    of: 'discovery.k8s.io/v1 EndpointSlice',
    body: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
    added: { 'endpoints.0.conditions': {}, 'ports.0.name': '', 'ports.0.protocol': 'TCP' },
  },
  {
    of: 'certificates.k8s.io/v1 CertificateSigningRequest',
    body: {
      spec: { signerName: 'example.com/s', request: 'MQ==', usages: ['client auth'], username: 'mallory' },
    },
    added: { 'spec.username': 'jane', 'spec.uid': '7', 'spec.groups': ['writers'], status: {} },
  },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
    body: {
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Queue', queuing: {} } },
      },
    },
    added: {
      'spec.limited.limitResponse.queuing': { queues: 64, handSize: 8, queueLengthLimit: 50 },
      'spec.limited.lendablePercent': 0,
      status: {},
    },
  },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration',
    body: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
    added: { 'spec.limited.nominalConcurrencyShares': 30, 'spec.limited.lendablePercent': 0, status: {} },
  },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
    body: { spec: { priorityLevelConfiguration: { name: 'p' } } },
    added: { 'spec.matchingPrecedence': 1000, status: {} },
  },
  {
    of: 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
    body: {
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { service: { namespace: 'n', name: 's' } },
          rules: [{ operations: ['CREATE'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
    added: {
      'webhooks.0.clientConfig.service.port': 443,
      'webhooks.0.rules.0.scope': '*',
      'webhooks.0.failurePolicy': 'Fail',
      'webhooks.0.matchPolicy': 'Equivalent',
      'webhooks.0.namespaceSelector': {},
      'webhooks.0.objectSelector': {},
      'webhooks.0.timeoutSeconds': 10,
      'webhooks.0.reinvocationPolicy': 'Never',
    },
  },
  {
    of: 'admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding',
    body: { spec: { policyName: 'p', paramRef: { name: 'x' }, matchResources: {} } },
    added: {
      'spec.paramRef.parameterNotFoundAction': 'Deny',
      'spec.matchResources': { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' },
    },
  },
  {
    of: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    body: {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    },
    added: {
      'spec.names.singular': 'widget',
      'spec.names.listKind': 'WidgetList',
      'spec.conversion': { strategy: 'None' },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    },
  },
  {
    of: 'apiregistration.k8s.io/v1 APIService',
    body: { spec: { version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { name: 'n' } } },
    added: { 'spec.service.port': 443, status: {} },
  },
]

function probeAt(path: string): Record<string, JsonValue> {
  return {
    [`${path}.timeoutSeconds`]: 1,
    [`${path}.periodSeconds`]: 10,
    [`${path}.successThreshold`]: 1,
    [`${path}.failureThreshold`]: 3,
  }
}

function jobLabels(): Record<string, string> {
  return {
    'batch.kubernetes.io/controller-uid': 'uid-1',
    'batch.kubernetes.io/job-name': 'thing',
    'controller-uid': 'uid-1',
    'job-name': 'thing',
  }
}

const registry = types(everything)
const objects = codec()

for (const { of, body, added } of cases) {
  t.test(`${of} ${JSON.stringify(body).slice(0, 60)}`, (t) => {
    const [apiVersion = '', kind = ''] = of.split(' ')
    const object = { apiVersion, kind, metadata: { name: 'thing' }, ...body }
    const answer = created(registry, objects, object as ApiObject)
    t.strictSame(
      answer,
      withAdded(object, { 'metadata.uid': 'uid-1', 'metadata.creationTimestamp': null, ...added }),
    )
    t.end()
  })
}

function withAdded(body: unknown, added: Readonly<Record<string, JsonValue>>): unknown {
  const expected = structuredClone(body)
  for (const [path, value] of Object.entries(added)) {
    const steps = path.split('.')
    const last = steps.pop() ?? ''
    let at = expected as Record<string, unknown>
    for (const step of steps) {
      at[step] ??= {}
      at = at[step] as Record<string, unknown>
    }
    if (value === '(gone)') delete at[last]
    else if (value !== '(absent)') at[last] = value
  }
  return expected
}

t.test('fields behind a closed gate are dropped, and kept where they are in use', (t) => {
  const gated = { resourceClaims: [{ name: 'x' }] }
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [container], ...gated },
  }
  const claims = (pod: ApiObject) => (isJsonObject(pod['spec']) ? pod['spec']['resourceClaims'] : undefined)
  const closed = created(registry, objects, body as unknown as ApiObject)
  t.equal(claims(closed), undefined)
  const open = created(types(everything, allGates), codec(allGates), body as unknown as ApiObject)
  t.match(claims(open), [{ name: 'x' }])
  const { strategy } = registry.kind('', 'v1', 'Pod') ?? {}
  const update = structuredClone(open)
  strategy?.prepareForUpdate?.(update, open, { now: '' })
  t.match(claims(update), [{ name: 'x' }], 'written while the gate was open')
  strategy?.prepareForUpdate?.(update, closed, { now: '' })
  t.equal(claims(update), undefined)
  t.end()
})

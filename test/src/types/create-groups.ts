/** What creation adds to objects of the named groups. */

import { type Case, container, selector, template, templateAt } from './create-case.ts'

export const groupCases: readonly Case[] = [
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
    added: { 'metadata.generation': 1, preemptionPolicy: 'PreemptLowerPriority' },
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

function jobLabels(): Record<string, string> {
  return {
    'batch.kubernetes.io/controller-uid': 'uid-1',
    'batch.kubernetes.io/job-name': 'thing',
    'controller-uid': 'uid-1',
    'job-name': 'thing',
  }
}

/** What creation adds to objects of the core group. */

import { type Case, container, containerAt, podSpecAt, probeAt, template, templateAt } from './create-case.ts'

const pod = { ...podSpecAt('spec'), 'spec.enableServiceLinks': true, 'status.phase': 'Pending' }

export const coreCases: readonly Case[] = [
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
    body: { eventTime: '2024-01-01T00:00:00.000000Z', reason: 'R', regarding: { kind: 'Pod' } },
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
]

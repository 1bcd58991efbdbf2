/** What each plugin adds to an object, and what it refuses. Source: specification, "Plugin behaviors". */

import t from 'tap'
import type { AdmissionPlugin } from '../../../src/admission/admission.ts'
import { alwaysAdmit, alwaysDeny } from '../../../src/admission/plugins/always.ts'
import { alwaysPullImages } from '../../../src/admission/plugins/always-pull-images.ts'
import {
  createDefaultIngressClass,
  createDefaultStorageClass,
} from '../../../src/admission/plugins/default-class.ts'
import { createDefaultTolerationSeconds } from '../../../src/admission/plugins/default-toleration-seconds.ts'
import { createPersistentVolumeClaimResize } from '../../../src/admission/plugins/persistent-volume-claim-resize.ts'
import { createPriority } from '../../../src/admission/plugins/priority.ts'
import { createRuntimeClass } from '../../../src/admission/plugins/runtime-class.ts'
import { createStorageObjectInUseProtection } from '../../../src/admission/plugins/storage-object-in-use-protection.ts'
import { createTaintNodesByCondition } from '../../../src/admission/plugins/taint-nodes-by-condition.ts'
import { names } from '../types/types.ts'
import { attempt, lookupsOf, pod, type Stored, type Trial } from './trial.ts'

interface Row extends Trial {
  readonly name: string
  /** Members that the object must have; or the refusal. */
  readonly wanted: object | string
}

function table(plugin: AdmissionPlugin, rows: readonly Row[]): void {
  t.test(plugin.name, async (t) => {
    for (const { name, wanted, ...trial } of rows) {
      const found = await attempt(plugin, trial)
      if (typeof wanted === 'string') t.equal(found, wanted, name)
      else t.match(found, wanted, name)
    }
  })
}

const claim = 'v1 PersistentVolumeClaim'
const ingress = 'networking.k8s.io/v1 Ingress'

function classes(
  prefix: string,
  annotation: string,
  ...made: readonly (readonly [string, string])[]
): Stored {
  return {
    [prefix]: made.map(([name, creationTimestamp]) => ({
      metadata: { name, creationTimestamp, annotations: { [annotation]: 'true' } },
    })),
  }
}

const storageMark = 'storageclass.kubernetes.io/is-default-class'
const ingressMark = 'ingressclass.kubernetes.io/is-default-class'

table(alwaysAdmit, [{ name: 'anything', kind: 'v1 Pod', object: pod({}), wanted: pod({}) }])

table(alwaysDeny, [
  {
    name: 'nothing',
    kind: 'v1 Pod',
    object: pod({}),
    wanted: 'pods "p" is forbidden: admission control is denying all modifications',
  },
])

table(alwaysPullImages, [
  {
    name: 'new pods',
    kind: 'v1 Pod',
    object: pod({ initContainers: [{ name: 'i', imagePullPolicy: 'Never' }] }),
    wanted: {
      spec: { containers: [{ imagePullPolicy: 'Always' }], initContainers: [{ imagePullPolicy: 'Always' }] },
    },
  },
  {
    name: 'an update that brings no new image leaves the pod as it is',
    kind: 'v1 Pod',
    operation: 'UPDATE',
    object: pod({ containers: [{ name: 'c', image: 'a', imagePullPolicy: 'Never' }] }),
    old: pod({ containers: [{ name: 'c', image: 'a', imagePullPolicy: 'Never' }] }),
    wanted: { spec: { containers: [{ imagePullPolicy: 'Never' }] } },
  },
])

table(
  createDefaultStorageClass(
    names,
    lookupsOf(
      classes(
        'storage/storageclasses',
        storageMark,
        ['b', '2024-01-02'],
        ['a', '2024-01-01'],
        ['c', '2024-01-02'],
      ),
    ),
  ),
  [
    {
      name: 'the newest default; of equally new ones, the first by name',
      kind: claim,
      object: { metadata: { name: 'a' }, spec: {} },
      wanted: { spec: { storageClassName: 'b' } },
    },
    {
      name: 'an empty name is a choice',
      kind: claim,
      object: { metadata: { name: 'a' }, spec: { storageClassName: '' } },
      wanted: { spec: { storageClassName: '' } },
    },
    {
      name: 'so is the older annotation',
      kind: claim,
      object: {
        metadata: { name: 'a', annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } },
        spec: {},
      },
      wanted: { spec: { storageClassName: undefined } },
    },
  ],
)

table(
  createDefaultIngressClass(names, lookupsOf(classes('networking/ingressclasses', ingressMark, ['a', '1']))),
  [
    {
      name: 'the default',
      kind: ingress,
      object: { metadata: { name: 'i' }, spec: {} },
      wanted: { spec: { ingressClassName: 'a' } },
    },
    {
      name: 'the older annotation is a choice',
      kind: ingress,
      object: { metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: {} },
      wanted: { spec: { ingressClassName: undefined } },
    },
  ],
)

table(createDefaultIngressClass(names, lookupsOf({})), [
  {
    name: 'without a default, nothing',
    kind: ingress,
    object: { metadata: { name: 'i' }, spec: {} },
    wanted: { spec: { ingressClassName: undefined } },
  },
])

table(
  createDefaultIngressClass(
    names,
    lookupsOf(classes('networking/ingressclasses', ingressMark, ['a', '1'], ['b', '2'])),
  ),
  [
    {
      name: 'two defaults are none',
      kind: ingress,
      object: { metadata: { name: 'i' }, spec: {} },
      wanted:
        'ingresses.networking.k8s.io "i" is forbidden: Internal error occurred: 2 default IngressClasses were found',
    },
  ],
)

const forFiveMinutes = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }

table(createDefaultTolerationSeconds(names), [
  {
    name: 'both',
    kind: 'v1 Pod',
    object: pod({}),
    wanted: {
      spec: {
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', ...forFiveMinutes },
          { key: 'node.kubernetes.io/unreachable', ...forFiveMinutes },
        ],
      },
    },
  },
  {
    name: 'only the one that is not tolerated already',
    kind: 'v1 Pod',
    object: pod({ tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] }),
    wanted: {
      spec: {
        tolerations: [
          { key: 'node.kubernetes.io/not-ready' },
          { key: 'node.kubernetes.io/unreachable', ...forFiveMinutes },
        ],
      },
    },
  },
])

table(createTaintNodesByCondition(names), [
  {
    name: 'new nodes',
    kind: 'v1 Node',
    object: { metadata: { name: 'n' } },
    wanted: { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
  },
])

table(createStorageObjectInUseProtection(names), [
  {
    name: 'volumes',
    kind: 'v1 PersistentVolume',
    object: { metadata: { name: 'v' } },
    wanted: { metadata: { finalizers: ['kubernetes.io/pv-protection'] } },
  },
  {
    name: 'claims, once',
    kind: claim,
    object: { metadata: { name: 'v', finalizers: ['kubernetes.io/pvc-protection', 'a/b'] } },
    wanted: { metadata: { finalizers: ['kubernetes.io/pvc-protection', 'a/b'] } },
  },
])

const priorities: Stored = {
  'scheduling/priorityclasses': [
    { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 10, globalDefault: true },
  ],
}
const priorityClass = 'scheduling.k8s.io/v1 PriorityClass'

table(createPriority(lookupsOf(priorities)), [
  {
    name: 'by name',
    kind: 'v1 Pod',
    object: pod({ priorityClassName: 'high' }),
    wanted: { spec: { priority: 1000, preemptionPolicy: 'Never' } },
  },
  {
    name: 'by default',
    kind: 'v1 Pod',
    object: pod({}),
    wanted: { spec: { priorityClassName: 'usual', priority: 10, preemptionPolicy: undefined } },
  },
  {
    name: 'no such class',
    kind: 'v1 Pod',
    object: pod({ priorityClassName: 'low' }),
    wanted: 'pods "p" is forbidden: no PriorityClass with name low was found',
  },
  {
    name: 'another number than that of the class',
    kind: 'v1 Pod',
    object: pod({ priorityClassName: 'high', priority: 7 }),
    wanted:
      'pods "p" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
  },
  {
    name: 'another policy than that of the class',
    kind: 'v1 Pod',
    object: pod({ priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' }),
    wanted:
      'pods "p" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  },
  {
    name: 'an update that leaves it out keeps it',
    kind: 'v1 Pod',
    operation: 'UPDATE',
    object: pod({}),
    old: pod({ priority: 3, preemptionPolicy: 'Never' }),
    wanted: { spec: { priority: 3, preemptionPolicy: 'Never' } },
  },
  {
    name: 'a second default',
    kind: priorityClass,
    object: { metadata: { name: 'other' }, value: 1, globalDefault: true },
    wanted:
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  },
  {
    name: 'the default itself may be written again',
    kind: priorityClass,
    operation: 'UPDATE',
    object: { metadata: { name: 'usual' }, value: 10, globalDefault: true },
    old: { metadata: { name: 'usual' }, value: 10 },
    wanted: { metadata: { name: 'usual' } },
  },
])

table(createPriority(lookupsOf({})), [
  {
    name: 'no classes at all',
    kind: 'v1 Pod',
    object: pod({}),
    wanted: {
      spec: { priorityClassName: undefined, priority: 0, preemptionPolicy: 'PreemptLowerPriority' },
    },
  },
])

const runtimes: Stored = {
  'node/runtimeclasses': [
    {
      metadata: { name: 'vm' },
      overhead: { podFixed: { cpu: '250m' } },
      scheduling: {
        nodeSelector: { vm: 'yes' },
        tolerations: [
          { key: 'vm', operator: 'Exists' },
          { key: 'a', operator: 'Exists' },
        ],
      },
    },
    { metadata: { name: 'plain' } },
  ],
}

table(createRuntimeClass(lookupsOf(runtimes)), [
  {
    name: 'overhead, selector, and the tolerations that are not there yet',
    kind: 'v1 Pod',
    object: pod({
      runtimeClassName: 'vm',
      overhead: { cpu: '0.25' },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
    }),
    wanted: {
      spec: {
        overhead: { cpu: '250m' },
        nodeSelector: { disk: 'fast', vm: 'yes' },
        tolerations: [{ key: 'a' }, { key: 'vm', operator: 'Exists' }],
      },
    },
  },
  {
    name: 'no such class',
    kind: 'v1 Pod',
    object: pod({ runtimeClassName: 'none' }),
    wanted: 'pods "p" is forbidden: pod rejected: RuntimeClass "none" not found',
  },
  {
    name: 'another overhead',
    kind: 'v1 Pod',
    object: pod({ runtimeClassName: 'vm', overhead: { cpu: '1' } }),
    wanted:
      "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  },
  {
    name: 'an overhead out of nowhere',
    kind: 'v1 Pod',
    object: pod({ runtimeClassName: 'plain', overhead: { cpu: '1' } }),
    wanted:
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  },
  {
    name: 'elsewhere than the class can run',
    kind: 'v1 Pod',
    object: pod({ runtimeClassName: 'vm', nodeSelector: { vm: 'no' } }),
    wanted:
      'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
  },
])

function sized(storage: string, storageClassName: string, phase = 'Bound'): object {
  return {
    metadata: { name: 'c' },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  }
}

table(
  createPersistentVolumeClaimResize(
    names,
    lookupsOf({
      'storage/storageclasses': [
        { metadata: { name: 'rubber' }, allowVolumeExpansion: true },
        { metadata: { name: 'stone' } },
      ],
    }),
  ),
  [
    ['rubber grows', '1Gi', '2Gi', 'rubber', 'Bound', undefined],
    ['the same size in other words', '1Gi', '1024Mi', 'stone', 'Bound', undefined],
    [
      'stone does not',
      '1Gi',
      '2Gi',
      'stone',
      'Bound',
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ],
    ['not bound', '1Gi', '2Gi', 'rubber', 'Pending', 'Only bound persistent volume claims can be expanded'],
  ].map(([name = '', before = '', after = '', storageClass = '', phase, refusal]) => ({
    name,
    kind: claim,
    operation: 'UPDATE' as const,
    object: sized(after, storageClass, phase),
    old: sized(before, storageClass, phase),
    wanted:
      refusal === undefined
        ? { metadata: { name: 'c' } }
        : `persistentvolumeclaims "c" is forbidden: ${refusal}`,
  })),
)

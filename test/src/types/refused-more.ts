/** Rules across the fields of pods, policies and controllers that are easily overlooked. */

import { replicationController } from './valid-core.ts'
import { deployment } from './valid-groups.ts'
import type { Json, Refusal } from './validation.ts'

const pod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
}
const policyBinding: Json = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'b' },
  spec: { policyName: 'p', validationActions: ['Deny'] },
}
const windows = { 'spec.os': { name: 'windows' } }
const linux = { 'spec.os': { name: 'linux' } }
const notForWindows = (path: string): string => `${path}: Forbidden: cannot be set for a windows pod`
const sleeping = (seconds: number) => ({ 'spec.containers.0.lifecycle': { preStop: { sleep: { seconds } } } })
const sleep = 'spec.containers[0].lifecycle.preStop.sleep: Invalid value:'

export const refusedMore: readonly Refusal[] = [
  // Operating systems.
  [
    pod,
    { ...windows, 'spec.securityContext': { runAsUser: 1, fsGroup: 2 }, 'spec.hostPID': true },
    [
      notForWindows('spec.securityContext.runAsUser'),
      notForWindows('spec.securityContext.fsGroup'),
      notForWindows('spec.hostPID'),
    ],
  ],
  [
    pod,
    { ...windows, 'spec.containers.0.securityContext': { privileged: true, capabilities: { add: ['A'] } } },
    [
      notForWindows('spec.containers[0].securityContext.privileged'),
      notForWindows('spec.containers[0].securityContext.capabilities'),
    ],
  ],
  [
    pod,
    {
      ...linux,
      'spec.securityContext': { windowsOptions: { runAsUserName: 'x' } },
      'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'x' } },
    },
    [
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
      'spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
  ],
  // Hooks that sleep.
  [pod, sleeping(0), [`${sleep} 0: must be greater than 0 and less than terminationGracePeriodSeconds (30)`]],
  [
    pod,
    sleeping(31),
    [`${sleep} 31: must be greater than 0 and less than terminationGracePeriodSeconds (30)`],
  ],
  [
    pod,
    { ...sleeping(6), 'spec.terminationGracePeriodSeconds': 5 },
    [`${sleep} 6: must be greater than 0 and less than terminationGracePeriodSeconds (5)`],
  ],
  // Policies.
  [
    policyBinding,
    { 'spec.validationActions': ['Deny', 'Warn'] },
    ['spec.validationActions: Invalid value: []string{"Deny", "Warn"}: must not contain both Deny and Warn'],
  ],
  // Selectors that miss their own pods.
  [
    deployment,
    { 'spec.selector': { matchLabels: { z: 'z' } } },
    ['spec.template.metadata.labels: Invalid value: map[string]string{'],
  ],
  [
    replicationController,
    { 'spec.selector': { z: 'z' } },
    ['spec.template.metadata.labels: Invalid value: map[string]string{'],
  ],
]

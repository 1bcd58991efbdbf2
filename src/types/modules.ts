/** The modules of the types that are more than their data, by storage prefix. */

import { customResourceDefinition } from './apiextensions/custom-resource-definition.ts'
import {
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  replicationController,
  statefulSet,
} from './apps/workloads.ts'
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts'
import { job } from './batch/job.ts'
import { certificateSigningRequest } from './certificates/certificate-signing-request.ts'
import { namespace } from './core/namespace.ts'
import { node, resourceQuota } from './core/others.ts'
import { pod, podTemplate } from './core/pod.ts'
import { service } from './core/service.ts'
import { configMap, secret } from './core/settings.ts'
import { persistentVolume, persistentVolumeClaim } from './core/volumes.ts'
import { event } from './events/event.ts'
import { priorityLevelConfiguration } from './flowcontrol/priority-level.ts'
import { changedCauses, forbiddenChanges, immutable } from './immutable.ts'
import type { ModuleFactory } from './module.ts'
import { roleBinding } from './rbac/binding.ts'

/** Types whose only rule is that some fields never change. */
function fixed(...paths: readonly string[]): ModuleFactory {
  return () => ({ strategy: { validateUpdate: immutable(...paths) } })
}

const priorityClass: ModuleFactory = () => ({
  strategy: {
    validateUpdate: (object, old) => [
      ...forbiddenChanges(object, old, ['value'], 'may not be changed in an update.'),
      ...changedCauses(object, old, ['preemptionPolicy']),
    ],
  },
})

const storageClass: ModuleFactory = () => ({
  strategy: {
    validateUpdate: (object, old) => [
      ...forbiddenChanges(object, old, ['parameters'], 'updates to parameters are forbidden.'),
      ...forbiddenChanges(object, old, ['provisioner'], 'updates to provisioner are forbidden.'),
      ...forbiddenChanges(object, old, ['reclaimPolicy'], 'updates to reclaimPolicy are forbidden.'),
      ...changedCauses(object, old, ['volumeBindingMode']),
    ],
  },
})

export const modules: ReadonlyMap<string, ModuleFactory> = new Map<string, ModuleFactory>([
  ['apiextensions/customresourcedefinitions', customResourceDefinition],
  ['apps/controllerrevisions', controllerRevision],
  ['apps/daemonsets', daemonSet],
  ['apps/deployments', deployment],
  ['apps/replicasets', replicaSet],
  ['apps/statefulsets', statefulSet],
  ['autoscaling/horizontalpodautoscalers', horizontalPodAutoscaler],
  ['batch/jobs', job],
  ['certificates/certificatesigningrequests', certificateSigningRequest],
  ['certificates/clustertrustbundles', fixed('spec.signerName')],
  ['core/configmaps', configMap],
  ['core/events', event],
  ['core/namespaces', namespace],
  ['core/nodes', node],
  ['core/persistentvolumeclaims', persistentVolumeClaim],
  ['core/persistentvolumes', persistentVolume],
  ['core/pods', pod],
  ['core/podtemplates', podTemplate],
  ['core/replicationcontrollers', replicationController],
  ['core/resourcequotas', resourceQuota],
  ['core/secrets', secret],
  ['core/services', service],
  ['discovery/endpointslices', fixed('addressType')],
  ['flowcontrol.apiserver/prioritylevelconfigurations', priorityLevelConfiguration],
  ['networking/ingressclasses', fixed('spec.controller')],
  ['networking/ipaddresses', fixed('spec.parentRef')],
  ['node/runtimeclasses', fixed('handler')],
  ['rbac.authorization/clusterrolebindings', roleBinding],
  ['rbac.authorization/rolebindings', roleBinding],
  ['scheduling/priorityclasses', priorityClass],
  ['storage/csidrivers', fixed('spec.attachRequired', 'spec.fsGroupPolicy', 'spec.volumeLifecycleModes')],
  ['storage/csistoragecapacities', fixed('nodeTopology', 'storageClassName')],
  ['storage/storageclasses', storageClass],
  ['storage/volumeattachments', fixed('spec')],
  ['storage/volumeattributesclasses', fixed('driverName', 'parameters')],
])

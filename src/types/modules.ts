/** The modules of the types that are more than their data, by storage prefix. */

import {
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from './admissionregistration/policies.ts'
import { webhookConfiguration } from './admissionregistration/webhooks.ts'
import { customResourceDefinition } from './apiextensions/custom-resource-definition.ts'
import { apiService } from './apiregistration/api-service.ts'
import {
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  replicationController,
  statefulSet,
} from './apps/workloads.ts'
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts'
import { cronJob } from './batch/cron-job.ts'
import { job } from './batch/job.ts'
import { certificateSigningRequest } from './certificates/certificate-signing-request.ts'
import { lease } from './coordination/lease.ts'
import { endpoints } from './core/endpoints.ts'
import { namespace } from './core/namespace.ts'
import { limitRange, node, resourceQuota } from './core/others.ts'
import { pod, podTemplate } from './core/pod.ts'
import { service } from './core/service.ts'
import { configMap, secret, serviceAccount } from './core/settings.ts'
import { persistentVolume, persistentVolumeClaim } from './core/volumes.ts'
import { endpointSlice } from './discovery/endpoint-slice.ts'
import { event } from './events/event.ts'
import { flowSchema, priorityLevelConfiguration } from './flowcontrol/priority-level.ts'
import { immutable } from './immutable.ts'
import type { ModuleFactory } from './module.ts'
import { ingress, ingressClass } from './networking/ingress.ts'
import { networkPolicy } from './networking/network-policy.ts'
import { runtimeClass } from './node/runtime-class.ts'
import { podDisruptionBudget } from './policy/pod-disruption-budget.ts'
import { clusterRoleBinding, roleBinding } from './rbac/binding.ts'
import { clusterRole, role } from './rbac/role.ts'
import { priorityClass } from './scheduling/priority-class.ts'
import { csiDriver, csiNode, csiStorageCapacity, storageClass, volumeAttachment } from './storage/classes.ts'

/** Types whose only rule is that some fields never change. */
function fixed(...paths: readonly string[]): ModuleFactory {
  return () => ({ strategy: { validateUpdate: immutable(...paths) } })
}

export const modules: ReadonlyMap<string, ModuleFactory> = new Map<string, ModuleFactory>([
  ['admissionregistration/mutatingwebhookconfigurations', webhookConfiguration],
  ['admissionregistration/validatingadmissionpolicies', validatingAdmissionPolicy],
  ['admissionregistration/validatingadmissionpolicybindings', validatingAdmissionPolicyBinding],
  ['admissionregistration/validatingwebhookconfigurations', webhookConfiguration],
  ['apiextensions/customresourcedefinitions', customResourceDefinition],
  ['apiregistration/apiservices', apiService],
  ['apps/controllerrevisions', controllerRevision],
  ['apps/daemonsets', daemonSet],
  ['apps/deployments', deployment],
  ['apps/replicasets', replicaSet],
  ['apps/statefulsets', statefulSet],
  ['autoscaling/horizontalpodautoscalers', horizontalPodAutoscaler],
  ['batch/cronjobs', cronJob],
  ['batch/jobs', job],
  ['certificates/certificatesigningrequests', certificateSigningRequest],
  ['certificates/clustertrustbundles', fixed('spec.signerName')],
  ['coordination/leases', lease],
  ['core/configmaps', configMap],
  ['core/endpoints', endpoints],
  ['core/events', event],
  ['core/limitranges', limitRange],
  ['core/namespaces', namespace],
  ['core/nodes', node],
  ['core/persistentvolumeclaims', persistentVolumeClaim],
  ['core/persistentvolumes', persistentVolume],
  ['core/pods', pod],
  ['core/podtemplates', podTemplate],
  ['core/replicationcontrollers', replicationController],
  ['core/resourcequotas', resourceQuota],
  ['core/secrets', secret],
  ['core/serviceaccounts', serviceAccount],
  ['core/services', service],
  ['discovery/endpointslices', endpointSlice],
  ['flowcontrol.apiserver/flowschemas', flowSchema],
  ['flowcontrol.apiserver/prioritylevelconfigurations', priorityLevelConfiguration],
  ['networking/ingressclasses', ingressClass],
  ['networking/ingresses', ingress],
  ['networking/ipaddresses', fixed('spec.parentRef')],
  ['networking/networkpolicies', networkPolicy],
  ['node/runtimeclasses', runtimeClass],
  ['policy/poddisruptionbudgets', podDisruptionBudget],
  ['rbac.authorization/clusterrolebindings', clusterRoleBinding],
  ['rbac.authorization/clusterroles', clusterRole],
  ['rbac.authorization/rolebindings', roleBinding],
  ['rbac.authorization/roles', role],
  ['scheduling/priorityclasses', priorityClass],
  ['storage/csidrivers', csiDriver],
  ['storage/csinodes', csiNode],
  ['storage/csistoragecapacities', csiStorageCapacity],
  ['storage/storageclasses', storageClass],
  ['storage/volumeattachments', volumeAttachment],
  ['storage/volumeattributesclasses', fixed('driverName', 'parameters')],
])

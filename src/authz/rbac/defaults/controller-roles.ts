/** Roles of controllers, each bound to the service account of its name. The notation is that of `notation.ts`. */

export const controllerRoles = `
attachdetach-controller
  list,watch core: persistentvolumeclaims, persistentvolumes
  read core: nodes
  patch,update core: nodes/status
  list,watch core: pods
  create,patch,update core,events.{groups}: events
  read,create,delete storage.{groups}: volumeattachments
  read storage.{groups}: csidrivers
  read storage.{groups}: csinodes
certificate-controller
  read,delete certificates.{groups}: certificatesigningrequests
  update certificates.{groups}: certificatesigningrequests/approval, certificatesigningrequests/status
  approve certificates.{groups}: signers
    named {labels}/{prefix}-apiserver-client-kubelet
  sign certificates.{groups}: signers
    named {labels}/{prefix}-apiserver-client, {labels}/{prefix}-apiserver-client-kubelet,
      {labels}/kubelet-serving, {labels}/legacy-unknown
  create authorization.{groups}: subjectaccessreviews
  create,patch,update core,events.{groups}: events
clusterrole-aggregation-controller
  read,escalate,patch,update rbac.authorization.{groups}: clusterroles
cronjob-controller
  read,update batch: cronjobs
  read,create,delete,patch,update batch: jobs
  update batch: cronjobs/status
  update batch: cronjobs/finalizers
  delete,list core: pods
  create,patch,update core,events.{groups}: events
daemon-set-controller
  read apps,extensions: daemonsets
  update apps,extensions: daemonsets/status
  update apps,extensions: daemonsets/finalizers
  list,watch core: nodes
  create,delete,list,patch,watch core: pods
  create core: pods/binding
  read,create,delete,patch,update apps: controllerrevisions
  create,patch,update core,events.{groups}: events
deployment-controller
  read,update apps,extensions: deployments
  update apps,extensions: deployments/status
  update apps,extensions: deployments/finalizers
  read,create,delete,patch,update apps,extensions: replicasets
  read,update core: pods
  create,patch,update core,events.{groups}: events
disruption-controller
  read apps,extensions: deployments
  read apps,extensions: replicasets
  read core: replicationcontrollers
  read policy: poddisruptionbudgets
  read apps: statefulsets
  update policy: poddisruptionbudgets/status
  get *: */scale
  create,patch,update core,events.{groups}: events
  patch,update core: pods/status
endpoint-controller
  read core: pods, services
  create,delete,get,list,update core: endpoints
  create core: endpoints/restricted
  create,patch,update core,events.{groups}: events
endpointslice-controller
  read core: nodes, pods, services
  update core: services/finalizers
  create,delete,get,list,update discovery.{groups}: endpointslices
  create,patch,update core,events.{groups}: events
endpointslicemirroring-controller
  read core: endpoints, services
  update core: services/finalizers
  update core: endpoints/finalizers
  create,delete,get,list,update discovery.{groups}: endpointslices
  create,patch,update core,events.{groups}: events
ephemeral-volume-controller
  read core: pods
  update core: pods/finalizers
  read,create core: persistentvolumeclaims
  create,patch,update core,events.{groups}: events
expand-controller
  read,patch,update core: persistentvolumes
  patch,update core: persistentvolumeclaims/status
  read core: persistentvolumeclaims
  read storage.{groups}: storageclasses
  get core: endpoints, services
  get core: secrets
  create,patch,update core,events.{groups}: events
generic-garbage-collector
  read,delete,patch,update *: *
  create,patch,update core,events.{groups}: events
horizontal-pod-autoscaler
  read autoscaling: horizontalpodautoscalers
  update autoscaling: horizontalpodautoscalers/status
  get,update *: */scale
  list core: pods
  list metrics.{groups}: pods
  get,list custom.metrics.{groups}: *
  get,list external.metrics.{groups}: *
  create,patch,update core,events.{groups}: events
job-controller
  read,patch,update batch: jobs
  update batch: jobs/status
  update batch: jobs/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.{groups}: events
legacy-service-account-token-cleaner
  get core: configmaps
    named {prefix}-apiserver-legacy-service-account-token-tracking
  delete,patch core: secrets
namespace-controller
  read,delete core: namespaces
  update core: namespaces/finalize, namespaces/status
  delete,deletecollection,get,list *: *
node-controller
  delete,get,list,patch,update core: nodes
  patch,update core: nodes/status
  patch,update core: pods/status
  delete,list core: pods
  create,patch,update core,events.{groups}: events
  get core: pods
persistent-volume-binder
  read,create,delete,update core: persistentvolumes
  update core: persistentvolumes/status
  read,update core: persistentvolumeclaims
  update core: persistentvolumeclaims/status
  read,create,delete core: pods
  read storage.{groups}: storageclasses
  create,delete,get,update core: endpoints
  create,delete,get core: services
  get core: secrets
  get,list core: nodes
  watch core: events
  create,patch,update core,events.{groups}: events
pod-garbage-collector
  delete,list,watch core: pods
  get,list core: nodes
  patch core: pods/status
pv-protection-controller
  read,update core: persistentvolumes
  create,patch,update core,events.{groups}: events
pvc-protection-controller
  read,update core: persistentvolumeclaims
  read core: pods
  create,patch,update core,events.{groups}: events
replicaset-controller
  read,update apps,extensions: replicasets
  update apps,extensions: replicasets/status
  update apps,extensions: replicasets/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.{groups}: events
replication-controller
  read,update core: replicationcontrollers
  update core: replicationcontrollers/status
  update core: replicationcontrollers/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.{groups}: events
resourcequota-controller
  list,watch *: *
  update core: resourcequotas/status
  create,patch,update core,events.{groups}: events
root-ca-cert-publisher
  create,update core: configmaps
  create,patch,update core,events.{groups}: events
route-controller
  list,watch core: nodes
  patch core: nodes/status
  create,patch,update core,events.{groups}: events
service-account-controller
  create core: serviceaccounts
  create,patch,update core,events.{groups}: events
service-controller
  read core: services
  patch,update core: services/status
  list,watch core: nodes
  create,patch,update core,events.{groups}: events
statefulset-controller
  list,watch core: pods
  read apps: statefulsets
  update apps: statefulsets/status
  update apps: statefulsets/finalizers
  create,delete,get,patch,update core: pods
  read,create,delete,patch,update apps: controllerrevisions
  read,create core: persistentvolumeclaims
  create,patch,update core,events.{groups}: events
  delete,update core: persistentvolumeclaims
  update core: pods/finalizers
ttl-after-finished-controller
  read,delete batch: jobs
  create,patch,update core,events.{groups}: events
ttl-controller
  list,patch,update,watch core: nodes
  create,patch,update core,events.{groups}: events
validatingadmissionpolicy-status-controller
  read admissionregistration.{groups}: validatingadmissionpolicies
  get,patch,update admissionregistration.{groups}: validatingadmissionpolicies/status
  create,patch,update core,events.{groups}: events
[DynamicResourceAllocation] resource-claim-controller
  read core: pods
  update core: pods/finalizers
  read,create,delete resource.{groups}: resourceclaims
  read,create,patch,update resource.{groups}: podschedulingcontexts
  patch,update resource.{groups}: resourceclaims, resourceclaims/status
  patch,update core: pods/status
  create,patch,update core,events.{groups}: events
[MultiCIDRServiceAllocator] service-cidrs-controller
  read,patch,update networking.{groups}: servicecidrs
  patch,update networking.{groups}: servicecidrs/finalizers
  patch,update networking.{groups}: servicecidrs/status
  read networking.{groups}: ipaddresses
  create,patch,update core,events.{groups}: events
[StorageVersionAPI] storage-version-garbage-collector
  read coordination.{groups}: leases
  read,delete,patch,update internal.apiserver.{groups}: storageversions
  get,patch,update internal.apiserver.{groups}: storageversions/status
[StorageVersionMigrator] storage-version-migrator-controller
  list,patch *: *
  update storagemigration.{groups}: storageversionmigrations/status
`

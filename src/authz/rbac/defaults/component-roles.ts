/** Roles of the components of a cluster and of their helpers. The notation is that of `notation.ts`. */

export const componentRoles = `
system:certificates.{groups}:certificatesigningrequests:nodeclient
  create certificates.{groups}: certificatesigningrequests/nodeclient
system:certificates.{groups}:certificatesigningrequests:selfnodeclient
  create certificates.{groups}: certificatesigningrequests/selfnodeclient
system:certificates.{groups}:{prefix}-apiserver-client-approver
  approve certificates.{groups}: signers
    named {labels}/{prefix}-apiserver-client
system:certificates.{groups}:{prefix}-apiserver-client-kubelet-approver
  approve certificates.{groups}: signers
    named {labels}/{prefix}-apiserver-client-kubelet
system:certificates.{groups}:kubelet-serving-approver
  approve certificates.{groups}: signers
    named {labels}/kubelet-serving
system:certificates.{groups}:legacy-unknown-approver
  approve certificates.{groups}: signers
    named {labels}/legacy-unknown
system:heapster
  read core: events, namespaces, nodes, pods
  read extensions: deployments
system:{prefix}-aggregator
  read core: endpoints, services
system:{prefix}-controller-manager -> user system:{prefix}-controller-manager
  create,patch,update core,events.{groups}: events
  create coordination.{groups}: leases
  get,update coordination.{groups}: leases
    named {prefix}-controller-manager
  create core: secrets, serviceaccounts
  delete core: secrets
  get core: configmaps, namespaces, secrets, serviceaccounts
  update core: secrets, serviceaccounts
  create authentication.{groups}: tokenreviews
  create authorization.{groups}: subjectaccessreviews
  list,watch *: *
  create core: serviceaccounts/token
system:{prefix}-dns -> account {prefix}-dns
  list,watch core: endpoints, services
system:{prefix}-scheduler -> user system:{prefix}-scheduler
  create,patch,update core,events.{groups}: events
  create coordination.{groups}: leases
  get,update coordination.{groups}: leases
    named {prefix}-scheduler
  read core: nodes
  read,delete core: pods
  create core: bindings, pods/binding
  patch,update core: pods/status
  read core: replicationcontrollers, services
  read apps,extensions: replicasets
  read apps: statefulsets
  read policy: poddisruptionbudgets
  read core: persistentvolumeclaims, persistentvolumes
  create authentication.{groups}: tokenreviews
  create authorization.{groups}: subjectaccessreviews
  read storage.{groups}: csinodes
  read storage.{groups}: volumeattachments
  read core: namespaces
  read storage.{groups}: csidrivers
  read storage.{groups}: csistoragecapacities
  [DynamicResourceAllocation] read resource.{groups}: resourceclasses
  [DynamicResourceAllocation] read,patch,update resource.{groups}: resourceclaims
  [DynamicResourceAllocation] read,patch,update resource.{groups}: resourceclaims/status
  [DynamicResourceAllocation] read,write resource.{groups}: podschedulingcontexts
  [DynamicResourceAllocation] read resource.{groups}: podschedulingcontexts/status
  [DynamicResourceAllocation] read,patch,update core: pods/finalizers
  [DynamicResourceAllocation] read resource.{groups}: resourceclaimparameters, resourceclassparameters,
      resourceslices
system:kubelet-api-admin
  read core: nodes
  proxy core: nodes
  * core: nodes/log, nodes/metrics, nodes/proxy, nodes/stats
system:node ->
  create authentication.{groups}: tokenreviews
  create authorization.{groups}: localsubjectaccessreviews, subjectaccessreviews
  read core: services
  read,create core: nodes
  patch,update core: nodes/status
  patch,update core: nodes
  create,patch,update core: events
  read core: pods
  create,delete core: pods
  patch,update core: pods/status
  create core: pods/eviction
  read core: configmaps, secrets
  get core: persistentvolumeclaims, persistentvolumes
  get core: endpoints
  read,create certificates.{groups}: certificatesigningrequests
  create,delete,get,patch,update coordination.{groups}: leases
  get storage.{groups}: volumeattachments
  create core: serviceaccounts/token
  get,patch,update core: persistentvolumeclaims/status
  read storage.{groups}: csidrivers
  create,delete,get,patch,update storage.{groups}: csinodes
  read node.{groups}: runtimeclasses
  [DynamicResourceAllocation] get resource.{groups}: resourceclaims
  [ClusterTrustBundle] read certificates.{groups}: clustertrustbundles
system:node-bootstrapper
  read,create certificates.{groups}: certificatesigningrequests
system:node-problem-detector
  get core: nodes
  patch core: nodes/status
  create,patch,update core,events.{groups}: events
system:node-proxier -> user system:{prefix}-proxy
  list,watch core: endpoints, services
  read core: nodes
  create,patch,update core,events.{groups}: events
  [MultiCIDRServiceAllocator] list,watch networking.{groups}: servicecidrs
  list,watch discovery.{groups}: endpointslices
system:persistent-volume-provisioner
  read,create,delete core: persistentvolumes
  read,update core: persistentvolumeclaims
  read storage.{groups}: storageclasses
  watch core: events
  create,patch,update core,events.{groups}: events
system:volume-scheduler -> user system:{prefix}-scheduler
  read,patch,update core: persistentvolumes
  read storage.{groups}: storageclasses
  read,patch,update core: persistentvolumeclaims
[ClusterTrustBundle] system:cluster-trust-bundle-discovery -> group system:serviceaccounts
  read certificates.{groups}: clustertrustbundles
`

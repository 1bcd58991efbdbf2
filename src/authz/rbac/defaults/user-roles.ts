/** Roles for people, and for everybody. The notation is that of `notation.ts`. */

export const userRoles = `
cluster-admin -> group system:masters
  * *: *
  * paths: *
admin = admin
edit +admin = edit
view +edit = view
system:aggregate-to-admin +admin
  create authorization.{groups}: localsubjectaccessreviews
  read,write rbac.authorization.{groups}: rolebindings, roles
system:aggregate-to-edit +edit
  read core: pods/attach, pods/exec, pods/portforward, pods/proxy, secrets, services/proxy
  impersonate core: serviceaccounts
  write core: pods, pods/attach, pods/exec, pods/portforward, pods/proxy
  create core: pods/eviction
  write core: configmaps, events, persistentvolumeclaims, replicationcontrollers,
      replicationcontrollers/scale, secrets, serviceaccounts, services, services/proxy
  create core: serviceaccounts/token
  write apps: daemonsets, deployments, deployments/rollback, deployments/scale, replicasets,
      replicasets/scale, statefulsets, statefulsets/scale
  write autoscaling: horizontalpodautoscalers
  write batch: cronjobs, jobs
  write extensions: daemonsets, deployments, deployments/rollback, deployments/scale, ingresses,
      networkpolicies, replicasets, replicasets/scale, replicationcontrollers/scale
  write policy: poddisruptionbudgets
  write networking.{groups}: ingresses, networkpolicies
  read,write coordination.{groups}: leases
system:aggregate-to-view +view
  read core: configmaps, endpoints, persistentvolumeclaims, persistentvolumeclaims/status, pods,
      replicationcontrollers, replicationcontrollers/scale, serviceaccounts, services, services/status
  read core: bindings, events, limitranges, namespaces/status, pods/log, pods/status,
      replicationcontrollers/status, resourcequotas, resourcequotas/status
  read core: namespaces
  read discovery.{groups}: endpointslices
  read apps: controllerrevisions, daemonsets, daemonsets/status, deployments, deployments/scale,
      deployments/status, replicasets, replicasets/scale, replicasets/status, statefulsets,
      statefulsets/scale, statefulsets/status
  read autoscaling: horizontalpodautoscalers, horizontalpodautoscalers/status
  read batch: cronjobs, cronjobs/status, jobs, jobs/status
  read extensions: daemonsets, daemonsets/status, deployments, deployments/scale, deployments/status,
      ingresses, ingresses/status, networkpolicies, replicasets, replicasets/scale, replicasets/status,
      replicationcontrollers/scale
  read policy: poddisruptionbudgets, poddisruptionbudgets/status
  read networking.{groups}: ingresses, ingresses/status, networkpolicies
system:basic-user -> group system:authenticated
  create authorization.{groups}: selfsubjectaccessreviews, selfsubjectrulesreviews
  create authentication.{groups}: selfsubjectreviews
system:discovery -> group system:authenticated
  get paths: /api, /api/*, /apis, /apis/*, /healthz, /livez, /openapi, /openapi/*, /readyz, /version,
      /version/
system:public-info-viewer -> group system:authenticated, group system:unauthenticated
  get paths: /healthz, /livez, /readyz, /version, /version/
system:monitoring -> group system:monitoring
  get paths: /healthz, /healthz/*, /livez, /livez/*, /metrics, /metrics/slis, /readyz, /readyz/*
system:auth-delegator
  create authentication.{groups}: tokenreviews
  create authorization.{groups}: subjectaccessreviews
system:service-account-issuer-discovery -> group system:serviceaccounts
  get paths: /.well-known/openid-configuration, /.well-known/openid-configuration/, /openid/v1/jwks,
      /openid/v1/jwks/
`

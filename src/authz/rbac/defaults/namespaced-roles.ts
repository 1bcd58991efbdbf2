/** Roles in the namespaces of the system. The notation is that of `notation.ts`. */

export const namespacedRoles = `
in public
system:controller:bootstrap-signer -> account bootstrap-signer
  read core: configmaps
  update core: configmaps
    named cluster-info
  create,patch,update core,events.{groups}: events
in system
extension-apiserver-authentication-reader ->
    (system::extension-apiserver-authentication-reader) user system:{prefix}-controller-manager, user system:{prefix}-scheduler
  read core: configmaps
    named extension-apiserver-authentication
system::leader-locking-{prefix}-controller-manager ->
    user system:{prefix}-controller-manager, account {prefix}-controller-manager
  watch core: configmaps
  get,update core: configmaps
    named {prefix}-controller-manager
system::leader-locking-{prefix}-scheduler -> user system:{prefix}-scheduler, account {prefix}-scheduler
  watch core: configmaps
  get,update core: configmaps
    named {prefix}-scheduler
system:controller:bootstrap-signer -> account bootstrap-signer
  read core: secrets
system:controller:cloud-provider -> account cloud-provider
  read,create core: configmaps
system:controller:token-cleaner -> account token-cleaner
  read,delete core: secrets
  create,patch,update core,events.{groups}: events
`

/** How workloads roll out when nothing is said. */

import type { Draft } from '../../schema/defaults.ts'
import type { DefaultRules } from '../default-rules.ts'
import { ensureObject, objectAt, objectsAt, setDefault, textAt } from '../draft.ts'

export const appsDefaults: DefaultRules = ({ isGateOpen }) => ({
  'apps/v1.DeploymentStrategy': deploymentStrategy,
  'apps/v1.DaemonSetUpdateStrategy': daemonSetStrategy,
  'apps/v1.StatefulSet': (object) => statefulSet(object, isGateOpen('MaxUnavailableStatefulSet')),
})

function deploymentStrategy(strategy: Draft): void {
  if (strategy['type'] !== 'RollingUpdate') return
  const rolling = ensureObject(strategy, 'rollingUpdate')
  setDefault(rolling, 'maxUnavailable', '25%')
  setDefault(rolling, 'maxSurge', '25%')
}

function daemonSetStrategy(strategy: Draft): void {
  if (strategy['type'] !== 'RollingUpdate') return
  const rolling = ensureObject(strategy, 'rollingUpdate')
  setDefault(rolling, 'maxUnavailable', 1)
  setDefault(rolling, 'maxSurge', 0)
}

/** Before the plain values, because it matters whether the type was given. */
function statefulSet(object: Draft, maxUnavailable: boolean): void {
  const spec = ensureObject(object, 'spec')
  const strategy = ensureObject(spec, 'updateStrategy')
  if (textAt(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate'
    ensureObject(strategy, 'rollingUpdate')
  }
  const rolling = objectAt(strategy, 'rollingUpdate')
  if (strategy['type'] === 'RollingUpdate' && rolling !== undefined) {
    setDefault(rolling, 'partition', 0)
    if (maxUnavailable) setDefault(rolling, 'maxUnavailable', 1)
  }
  // A pointer in the schema, but made for every set.
  ensureObject(spec, 'persistentVolumeClaimRetentionPolicy')
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
    claim['apiVersion'] = 'v1'
    claim['kind'] = 'PersistentVolumeClaim'
  }
}

/** The feature gates that fields and resources stand behind, and whether they are open when nothing is said. */

interface Gate {
  readonly open: boolean
  readonly stage: 'alpha' | 'beta' | 'ga'
}

const alpha: Gate = { open: false, stage: 'alpha' }
const beta: Gate = { open: true, stage: 'beta' }
const ga: Gate = { open: true, stage: 'ga' }

const gates: ReadonlyMap<string, Gate> = new Map([
  ['CRDValidationRatcheting', beta],
  ['CSIStorageCapacity', ga],
  ['ClusterTrustBundle', alpha],
  ['ClusterTrustBundleProjection', alpha],
  ['CrossNamespaceVolumeDataSource', alpha],
  ['CustomResourceFieldSelectors', alpha],
  ['DynamicResourceAllocation', alpha],
  ['InPlacePodVerticalScaling', alpha],
  ['MaxUnavailableStatefulSet', alpha],
  ['PersistentVolumeLastPhaseTransitionTime', beta],
  ['PodLifecycleSleepAction', beta],
  ['RecoverVolumeExpansionFailure', alpha],
  ['RecursiveReadOnlyMounts', alpha],
  ['SELinuxMountReadWriteOncePod', beta],
  ['ServiceAccountTokenJTI', beta],
  ['ServiceAccountTokenNodeBinding', alpha],
  ['ServiceAccountTokenNodeBindingValidation', beta],
  ['ServiceAccountTokenPodNodeInfo', beta],
  ['ServiceTrafficDistribution', alpha],
  ['SidecarContainers', beta],
  ['StorageVersionMigrator', alpha],
  ['VolumeAttributesClass', alpha],
])

/** What `--feature-gates` says: names of gates, `AllAlpha`, `AllBeta`. */
export type FeatureGates = ReadonlyMap<string, boolean>

/** The gate's own setting, else that of its stage, else its default. A gate nobody knows is closed. */
export function isGateOpen(settings: FeatureGates, name: string): boolean {
  const set = settings.get(name)
  if (set !== undefined) return set
  const gate = gates.get(name)
  if (gate === undefined) return false
  const stage = gate.stage === 'alpha' ? 'AllAlpha' : gate.stage === 'beta' ? 'AllBeta' : ''
  return settings.get(stage) ?? gate.open
}

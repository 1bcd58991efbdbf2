/**
 * The feature gates of Kubernetes 1.30. Those that concern other components (kubelets, schedulers, proxies) are here too: all
 * of them are started with one list, and all refuse what they do not know.
 */

type GateStage = 'alpha' | 'beta' | 'ga' | 'deprecated'

export interface Gate {
  readonly stage: GateStage
  /** When nothing is said. */
  readonly open: boolean
  /** It cannot be set to anything else. */
  readonly locked: boolean
}

const alpha = `
  APIServingWithRoutine CPUCFSQuotaPeriod CPUManagerPolicyAlphaOptions CSIVolumeHealth CloudControllerManagerWebhook
  ClusterTrustBundle ClusterTrustBundleProjection ConsistentListFromCache CrossNamespaceVolumeDataSource
  CustomResourceFieldSelectors DisableNodeKubeProxyVersion DynamicResourceAllocation EventedPLEG HPAScaleToZero
  HonorPVReclaimPolicy InPlacePodVerticalScaling InTreePluginAWSUnregister InTreePluginAzureDiskUnregister
  InTreePluginAzureFileUnregister InTreePluginGCEUnregister InTreePluginOpenStackUnregister
  InTreePluginPortworxUnregister InTreePluginvSphereUnregister InformerResourceVersion JobManagedBy JobSuccessPolicy
  KubeletCgroupDriverFromCRI KubeletInUserNamespace KubeletPodResourcesDynamicResources KubeletPodResourcesGet
  KubeletSeparateDiskGC LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions MatchLabelKeysInPodAffinity
  MaxUnavailableStatefulSet MemoryQoS MultiCIDRServiceAllocator NFTablesProxyMode
  PodAndContainerStatsFromCRI PortForwardWebsockets ProcMountType QOSReserved RecoverVolumeExpansionFailure
  RecursiveReadOnlyMounts RelaxedEnvironmentVariableValidation RuntimeClassInImageCriApi SELinuxMount
  ServiceAccountTokenNodeBinding ServiceTrafficDistribution StorageVersionAPI StorageVersionMigrator
  TopologyManagerPolicyAlphaOptions UnknownVersionInteroperabilityProxy UserNamespacesPodSecurityStandards
  VolumeAttributesClass VolumeCapacityPriority WinDSR`

/** Informers of today's clients ask for it whenever they can, so it is on here; on other servers it is not yet. */
const alphaOpen = 'WatchList WindowsHostNetwork'

const beta = `
  APIResponseCompression APIServerIdentity APIServerTracing AnyVolumeDataSource AppArmor AppArmorFields
  CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDValidationRatcheting ContainerCheckpoint ContextualLogging
  CronJobsScheduledAnnotation DevicePluginCDIDevices DisableCloudProviders DisableKubeletCloudCredentialProviders
  ElasticIndexedJob GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority ImageMaximumGCAge
  JobBackoffLimitPerIndex JobPodFailurePolicy JobPodReplacementPolicy KubeProxyDrainingTerminatingNodes KubeletTracing
  LoadBalancerIPMode LogarithmicScaleDown LoggingBetaOptions MatchLabelKeysInPodTopologySpread MemoryManager
  NodeInclusionPolicyInPodTopologySpread NodeSwap OpenAPIEnums PDBUnhealthyPodEvictionPolicy
  PersistentVolumeLastPhaseTransitionTime PodDeletionCost PodDisruptionConditions PodIndexLabel
  PodLifecycleSleepAction PodReadyToStartContainersCondition RotateKubeletServerCertificate
  SELinuxMountReadWriteOncePod SeparateTaintEvictionController ServiceAccountTokenJTI
  ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers SizeMemoryBackedVolumes
  StatefulSetAutoDeletePVC StatefulSetStartOrdinal StorageNamespaceIndex StorageVersionHash
  StructuredAuthenticationConfiguration StructuredAuthorizationConfiguration TopologyAwareHints
  TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation WinOverlay`

const betaClosed = `
  CSIMigrationPortworx NodeLogQuery SchedulerQueueingHints StrictCostEnforcementForVAP
  StrictCostEnforcementForWebhooks UserNamespacesSupport WatchFromStorageWithoutResourceVersion WatchListClient`

const gaLocked = `
  APIListChunking APIPriorityAndFairness AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint CPUManager
  CSINodeExpandSecret CSIStorageCapacity CloudDualStackNodeIPs ConsistentHTTPGetHandlers
  CustomResourceValidationExpressions EfficientWatchResumption HPAContainerMetrics JobReadyPods KMSv2 KMSv2KDF
  LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction
  NodeOutOfServiceVolumeDetach PodHostIPs PodSchedulingReadiness ReadWriteOncePod RemainingItemCount ServerSideApply
  ServerSideFieldValidation ServiceNodePortStaticSubrange StableLoadBalancerNodeSet ValidatingAdmissionPolicy
  WatchBookmark ZeroLimitedNominalConcurrencyShares`

const ga = 'ExecProbeTimeout'

const deprecated = `
  AllowServiceLBStatusOnNonLB CSIMigrationRBD DefaultHostNetworkHostPortsInPodTemplates InTreePluginRBDUnregister KMSv1`

const deprecatedOpen = 'SkipReadOnlyValidationGCE'

const rows: readonly (readonly [names: string, gate: Gate])[] = [
  [alpha, { stage: 'alpha', open: false, locked: false }],
  [alphaOpen, { stage: 'alpha', open: true, locked: false }],
  [beta, { stage: 'beta', open: true, locked: false }],
  [betaClosed, { stage: 'beta', open: false, locked: false }],
  [gaLocked, { stage: 'ga', open: true, locked: true }],
  [ga, { stage: 'ga', open: true, locked: false }],
  [deprecated, { stage: 'deprecated', open: false, locked: false }],
  [deprecatedOpen, { stage: 'deprecated', open: true, locked: false }],
]

/** By name. */
export const knownGates: ReadonlyMap<string, Gate> = new Map(
  rows.flatMap(([names, gate]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, gate] as const),
  ),
)

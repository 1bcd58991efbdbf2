/** The words in OpenAPI documents: from the comments of the `.proto` sources, and common ones. */

import t from 'tap'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json.ts'
import { createNames, type DialectName, dialectNames } from '../../../src/names/names.ts'
import { createOpenApiVersion2 } from '../../../src/openapi/version2.ts'
import { createOpenApiVersion3 } from '../../../src/openapi/version3.ts'
import { loadDescriptions } from '../../../src/schema/load.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'

interface Schemas {
  readonly version2: JsonObject
  /** Of the core group. */
  readonly version3: JsonObject
}

function schemas(dialect: DialectName): Schemas {
  const names = createNames(dialect)
  const runtimeConfig = new Map([['api/all', true]])
  const types = createTypeRegistry({ names, runtimeConfig, featureGates: new Map() })
  if (!types.ok) throw new Error(types.failure.message)
  const options = { names, types: types.value, gitVersion: 'v1.30.0', hash: () => '' }
  const core = createOpenApiVersion3(options).document('api/v1')?.bytes ?? Buffer.from('null')
  return {
    version2: objectAt(JSON.parse(createOpenApiVersion2(options).json().bytes.toString()), 'definitions'),
    version3: objectAt(JSON.parse(core.toString()), 'components', 'schemas'),
  }
}

/** Follows names; {} where one is missing. */
function objectAt(value: JsonValue, ...path: readonly string[]): JsonObject {
  const found = path.reduce<JsonValue>(
    (inner, name) => (isJsonObject(inner) ? (inner[name] ?? null) : null),
    value,
  )
  return isJsonObject(found) ? found : {}
}

function isDescribed(schema: JsonObject): boolean {
  return typeof schema['description'] === 'string' && /^[A-Z"$*].*\.$/.test(schema['description'])
}

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}: every kind says what it is, and what is in it`, (t) => {
    const { version2 } = schemas(dialect)
    const kinds = Object.keys(version2).filter(
      (name) => 'x-kubernetes-group-version-kind' in objectAt(version2, name),
    )
    t.ok(kinds.length > 150, `${kinds.length} kinds`)
    const wordless = kinds.filter((name) => !isDescribed(objectAt(version2, name)))
    t.same(wordless, [], 'every kind has a description')
    const fields = kinds.flatMap((name) =>
      ['metadata', 'spec', 'status', 'items'].flatMap((field) => {
        const property = objectAt(version2, name, 'properties', field)
        return Object.keys(property).length === 0 || isDescribed(property) ? [] : [`${name}.${field}`]
      }),
    )
    t.same(fields, [], 'so has each metadata, spec, status and items')
    t.end()
  })
}

/** Messages of which every field is described. */
const whole = [
  'apimachinery.pkg.apis.meta.v1.ObjectMeta',
  'apimachinery.pkg.apis.meta.v1.ListMeta',
  'apimachinery.pkg.apis.meta.v1.LabelSelector',
  'apimachinery.pkg.apis.meta.v1.OwnerReference',
  'apimachinery.pkg.apis.meta.v1.Status',
  ...words(
    'api.core.v1',
    'PodSpec PodStatus Container ContainerPort EphemeralContainer EnvVar EnvVarSource Probe ResourceRequirements Volume VolumeMount',
  ),
  ...words('api.core.v1', 'Service ServiceSpec ServicePort ServiceStatus ConfigMap Secret ServiceAccount'),
  ...words('api.core.v1', 'Namespace NamespaceSpec NamespaceStatus NodeSpec NodeStatus Event'),
  ...words('api.core.v1', 'PersistentVolumeSpec PersistentVolumeStatus PersistentVolumeClaimSpec'),
  ...words('api.core.v1', 'PersistentVolumeClaimStatus ResourceQuotaSpec LimitRangeItem'),
  ...words('api.apps.v1', 'DeploymentSpec DeploymentStatus DeploymentStrategy RollingUpdateDeployment'),
  ...words('api.apps.v1', 'ReplicaSetSpec ReplicaSetStatus StatefulSetSpec StatefulSetStatus DaemonSetSpec'),
  ...words('api.apps.v1', 'DaemonSetStatus StatefulSetUpdateStrategy DaemonSetUpdateStrategy'),
  ...words('api.batch.v1', 'JobSpec JobStatus CronJobSpec CronJobStatus JobCondition'),
  ...words('api.networking.v1', 'IngressSpec IngressRule IngressBackend NetworkPolicySpec NetworkPolicyPeer'),
  ...words('api.rbac.v1', 'Role ClusterRole RoleBinding ClusterRoleBinding PolicyRule RoleRef Subject'),
  ...words('api.autoscaling.v2', 'HorizontalPodAutoscalerSpec HorizontalPodAutoscalerStatus MetricSpec'),
  ...words('api.policy.v1', 'PodDisruptionBudgetSpec PodDisruptionBudgetStatus'),
  ...words('api.scheduling.v1', 'PriorityClass'),
  ...words('api.storage.v1', 'StorageClass'),
  ...words('api.coordination.v1', 'LeaseSpec'),
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec',
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion',
]

function words(home: string, names: string): readonly string[] {
  return names.split(' ').map((name) => `${home}.${name}`)
}

t.test('the messages that people write and read most are described to the last field', (t) => {
  const { version2 } = schemas('kubernetes')
  for (const name of whole) {
    const schema = objectAt(version2, `io.k8s.${name}`)
    const properties = objectAt(schema, 'properties')
    t.ok(Object.keys(properties).length > 0 && isDescribed(schema), name)
    const wordless = Object.keys(properties).filter((field) => !isDescribed(objectAt(properties, field)))
    t.same(wordless, [], `${name}: every field`)
  }
  t.end()
})

t.test('how a description stands beside a reference', (t) => {
  const { version2, version3 } = schemas('kubernetes')
  const lifecycle = ['io.k8s.api.core.v1.Container', 'properties', 'lifecycle']
  const description = 'What to do after the start and before the end of the container.'
  t.same(
    objectAt(version3, ...lifecycle),
    { description, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Lifecycle' }] },
    'version 3: wrapped',
  )
  t.same(
    objectAt(version2, ...lifecycle),
    { description, $ref: '#/definitions/io.k8s.api.core.v1.Lifecycle' },
    'version 2: beside it',
  )
  const spec = objectAt(version3, 'io.k8s.api.core.v1.Pod', 'properties', 'spec')
  t.same(spec['default'], {}, 'the default stays')
  t.end()
})

t.test('the texts are alike in both dialects, so they name neither', (t) => {
  const branded = Object.entries(loadDescriptions()).flatMap(([message, texts]) =>
    Object.entries(texts)
      .filter(([, text]) => /kubernetes\.io|k8s|cluster\.io|[{}]/i.test(text))
      .map(([field]) => `${message}.${field}`),
  )
  t.same(branded, [])
  t.end()
})

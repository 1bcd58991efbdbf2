/** Names of definitions, as generated clients know them: `io.k8s.api.core.v1.Pod`. */

import type { Names } from '../names/names.ts'
import type { ScalarType } from '../schema/descriptor.ts'

/** Packages that live elsewhere than `api/<package>/<version>`. */
const homes: ReadonlyMap<string, string> = new Map([
  ['meta', 'apimachinery.pkg.apis.meta'],
  ['runtime', 'apimachinery.pkg.runtime'],
  ['apiextensions', 'apiextensions-apiserver.pkg.apis.apiextensions'],
  ['apiregistration', 'kube-aggregator.pkg.apis.apiregistration'],
])

/** Leaf types that clients know as definitions of their own. */
const scalarHomes: Partial<Record<ScalarType, string>> = {
  quantity: 'apimachinery.pkg.api.resource.Quantity',
  intOrString: 'apimachinery.pkg.util.intstr.IntOrString',
  time: 'apimachinery.pkg.apis.meta.v1.Time',
  microTime: 'apimachinery.pkg.apis.meta.v1.MicroTime',
  rawExtension: 'apimachinery.pkg.runtime.RawExtension',
}

/** `io.k8s` or `io.cluster`: the domain, reversed. */
function root(names: Names): string {
  return names.groupDomain.split('.').reverse().join('.')
}

/** @param id of a message, `core/v1.PodSpec`, `runtime.RawExtension` or of a custom one, `stable.example.com/v1.CronTab` */
export function definitionName(id: string, names: Names): string {
  const slash = id.indexOf('/')
  const group = id.slice(0, Math.max(slash, 0))
  // Packages of built-in types have no dots, groups of custom ones always have.
  if (group.includes('.')) return `${group.split('.').reverse().join('.')}.${id.slice(slash + 1)}`
  const dot = id.indexOf('.', slash + 1)
  const pack = id.slice(0, slash < 0 ? dot : slash)
  const home = homes.get(pack) ?? `api.${pack}`
  const rest = slash < 0 ? id.slice(dot) : `.${id.slice(slash + 1)}`
  return `${root(names)}.${home}${rest}`
}

/** What any JSON is called, by the package that holds it. */
const jsonHomes: ReadonlyMap<string, string> = new Map([
  ['meta', 'apimachinery.pkg.apis.meta.v1.FieldsV1'],
  ['apiextensions', 'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON'],
])

/**
 * Undefined for scalars that are written in place.
 *
 * @param holder id of the message that has the field
 */
export function scalarDefinitionName(scalar: ScalarType, holder: string, names: Names): string | undefined {
  const home = scalar === 'json' ? jsonHomes.get(holder.slice(0, holder.indexOf('/'))) : scalarHomes[scalar]
  return home === undefined ? undefined : `${root(names)}.${home}`
}

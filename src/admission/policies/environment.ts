/** What the expressions of a policy may name. Source: specification, "Expression language"; admissionregistration/v1. */

import { type CelType, cel, type Environment } from '../../cel/expression.ts'
import type { ObjectType } from '../../cel/types.ts'
import { admissionLibraries, conditionEnvironment } from '../dynamic/conditions.ts'

const texts = cel.map(cel.string, cel.string)

/** The namespace of the request's object, as expressions see it. */
const namespaceType = cel.object('kubernetes.Namespace', {
  metadata: cel.object('kubernetes.NamespaceMetadata', {
    name: cel.maybe(cel.string),
    generateName: cel.maybe(cel.string),
    namespace: cel.maybe(cel.string),
    labels: cel.maybe(texts),
    annotations: cel.maybe(texts),
    uid: cel.maybe(cel.string),
    resourceVersion: cel.maybe(cel.string),
    generation: cel.maybe(cel.int),
    creationTimestamp: cel.maybe(cel.timestamp),
    deletionTimestamp: cel.maybe(cel.timestamp),
    deletionGracePeriodSeconds: cel.maybe(cel.int),
    finalizers: cel.maybe(cel.list(cel.string)),
  }),
  spec: cel.maybe(cel.object('kubernetes.NamespaceSpec', { finalizers: cel.maybe(cel.list(cel.string)) })),
  status: cel.maybe(cel.object('kubernetes.NamespaceStatus', { phase: cel.maybe(cel.string) })),
})

/** @param variables types of the policy's own variables that may be named so far */
export function policyEnvironment(hasParams: boolean, variables: ReadonlyMap<string, CelType>): Environment {
  const own: ObjectType = {
    kind: 'object',
    name: 'kubernetes.variables',
    fields: new Map([...variables].map(([name, type]) => [name, { type }])),
    deferred: true,
  }
  return {
    variables: new Map<string, CelType>([
      ...conditionEnvironment.variables,
      ['namespaceObject', namespaceType],
      ['variables', own],
      ...(hasParams ? ([['params', cel.dyn]] as const) : []),
    ]),
    libraries: admissionLibraries,
  }
}

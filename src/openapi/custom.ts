/** Schemas of custom resources and of their lists, as definitions of a document. */

import type { Structural } from '../crd/schema/structural.ts'
import { identityProperties, publishedResource } from '../crd/shape/published.ts'
import type { JsonObject } from '../json.ts'
import type { Kind, ResourceType } from '../types/resource.ts'

/** What documents say of a custom resource beside its schema. */
export interface CustomKind extends Kind {
  readonly listKind: string
  /** `x-kubernetes-selectable-fields`, where there are any. */
  readonly selectableFields: readonly string[]
}

/** What a served version says; fields that all objects have are not said. */
export function customKindOf({ group, version, kind, listKind, selectableFields }: ResourceType): CustomKind {
  const own = [...selectableFields].filter((field) => !field.startsWith('metadata.'))
  return { group, version, kind, listKind, selectableFields: own }
}

/** `metadata`: its schema as the property of an object. */
export function customSchema(
  structural: Structural,
  of: CustomKind,
  metadata: JsonObject,
  isReduced: boolean,
): JsonObject {
  return { ...publishedResource(structural, { isReduced, metadata }), ...markersOf(of, of.kind, isReduced) }
}

/** `items`: a reference to what the list holds; `metadata`: a reference to what lists say of themselves. */
export function customListSchema(
  of: CustomKind,
  items: JsonObject,
  metadata: JsonObject,
  isReduced: boolean,
): JsonObject {
  const description = 'The objects of the list.'
  return {
    description: `A list of ${of.kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: { ...identityProperties, items: { description, type: 'array', items }, metadata },
    ...markersOf(of, of.listKind, isReduced),
  }
}

function markersOf(of: CustomKind, kind: string, isReduced: boolean): JsonObject {
  const { group, version, selectableFields } = of
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(selectableFields.length === 0 || isReduced
      ? {}
      : { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) }),
  }
}

/**
 * Applying a Scale: what it says of the replicas is applied to the workload behind it, where the owners of that field
 * are written down.
 *
 * Source: specification, "Server-side apply"; the scale subresource of the Kubernetes API.
 */

import { fail, ok } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { badRequest } from '../status/failures.ts'
import { valueAt } from '../types/columns/read.ts'
import { draftOf } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { apiVersionOf, type Kind, type ResourceType, type ScaleAdapter } from '../types/resource.ts'
import type { Checked } from './machinery.ts'

/** How a path whose objects are made of another's is applied to. */
export interface AppliedThrough {
  /** The object that the owners are written down in. */
  live(stored: ApiObject): ApiObject
  /** What a configuration of this path says of that object. */
  configuration(applied: JsonObject): Checked<JsonObject>
  /** The body of this path that makes the change of that object. */
  body(merged: ApiObject, live: ApiObject): ApiObject
}

export function scaleAppliedThrough(type: ResourceType, kind: Kind, adapter: ScaleAdapter): AppliedThrough {
  return {
    live: (stored) => type.fromStorage(stored),
    configuration(applied) {
      const problem = kindProblem(applied, kind)
      if (problem !== undefined) return fail(badRequest(problem))
      const { spec, metadata } = applied
      const name = isJsonObject(metadata) ? metadata['name'] : undefined
      const replicas = isJsonObject(spec) ? spec['replicas'] : undefined
      return ok({
        apiVersion: type.apiVersion,
        kind: type.kind,
        metadata: name === undefined ? {} : { name },
        ...(replicas === undefined ? {} : within(adapter.replicasPath, replicas)),
      })
    },
    body(merged, live) {
      // Who gives the field up leaves the number as it is.
      const isSaid = valueAt(draftOf(merged), ...adapter.replicasPath) !== undefined
      const scale = adapter.read(isSaid ? merged : live)
      const { managedFields } = merged.metadata
      return managedFields === undefined
        ? scale
        : { ...scale, metadata: { ...scale.metadata, managedFields } }
    },
  }
}

/** An object with nothing but the value at that path. */
function within(path: readonly string[], value: JsonValue): JsonObject {
  return path.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value) as JsonObject
}

function kindProblem({ apiVersion, kind, spec }: JsonObject, expected: Kind): string | undefined {
  const wanted = apiVersionOf(expected)
  if (apiVersion !== wanted || kind !== expected.kind) {
    return `incorrect type specified in the apply configuration: expected ${wanted}, Kind=${expected.kind}, found ${String(apiVersion)}, Kind=${String(kind)}`
  }
  return spec === undefined || isJsonObject(spec) ? undefined : 'spec of a Scale is an object'
}

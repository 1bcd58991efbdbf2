/**
 * The scale of a custom resource: a window on the places that its definition names.
 *
 * Source: apiextensions.k8s.io/v1, CustomResourceSubresourceScale; the scale subresource of the Kubernetes API.
 */

import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { badRequest, internalError } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import { textAt } from '../../types/columns/read.ts'
import { draftOf, ensureObject } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { ScaleAdapter } from '../../types/resource.ts'
import { scaleMetadata } from '../../types/scale.ts'
import { type Nested, nestedInteger, nestedText } from './nested.ts'

const int32Max = 2 ** 31 - 1
/** Stands for replicas that nothing says, where a patch has to be made of something: no client means it. */
const unsaid = -(2 ** 31)

interface ScalePaths {
  /** As the definition writes them: `.spec.replicas`. */
  readonly specReplicas: string
  readonly statusReplicas: string
  /** '' = there is none. */
  readonly labelSelector: string
}

/** `scale`: what `subresources.scale` of a version says. */
function pathsOf(scale: JsonObject): ScalePaths {
  return {
    specReplicas: textAt(scale, 'specReplicasPath'),
    statusReplicas: textAt(scale, 'statusReplicasPath'),
    labelSelector: textAt(scale, 'labelSelectorPath'),
  }
}

/** `scale`: what `subresources.scale` of a version says. Parents are objects in that version. */
export function customScale(scale: JsonObject): ScaleAdapter {
  const paths = pathsOf(scale)
  const replicasPath = stepsOf(paths.specReplicas)
  return {
    replicasPath,
    read(parent) {
      const { spec, status, selector } = windowOf(paths, parent)
      const replicas = foundIn(spec) ?? unsaid
      const text = foundIn(selector) ?? ''
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: scaleMetadata(parent.metadata),
        spec: replicas === 0 ? {} : { replicas },
        status: { replicas: foundIn(status) ?? 0, ...(text === '' ? {} : { selector: text }) },
      }
    },
    readFailure(parent) {
      const { spec } = windowOf(paths, parent)
      return (
        shapeFailure(paths, parent) ??
        (foundIn(spec) === undefined
          ? internalError(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`)
          : undefined)
      )
    },
    writeFailure(parent, replicas) {
      return (
        shapeFailure(paths, parent) ??
        (replicas === unsaid
          ? badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`)
          : undefined)
      )
    },
    write(parent, replicas) {
      ensureObject(draftOf(parent), ...replicasPath.slice(0, -1))[replicasPath.at(-1) ?? ''] = replicas
    },
  }
}

/** What is wrong with the places of the scale in an object; of a change of its status, in the status alone. */
export function scaleCauses(scale: JsonObject, isStatus: boolean): (object: ApiObject) => readonly Cause[] {
  const paths = pathsOf(scale)
  return (object) => {
    const { spec, status, selector } = windowOf(paths, object)
    return [
      ...(isStatus ? [] : replicasCauses(paths.specReplicas, spec)),
      ...replicasCauses(paths.statusReplicas, status),
      ...(selector.ok ? [] : [invalidValue(paths.labelSelector, '', selector.failure)]),
    ]
  }
}

function replicasCauses(path: string, replicas: Nested<number>): readonly Cause[] {
  if (!replicas.ok) return [invalidValue(path, 0, replicas.failure)]
  const { value = 0 } = replicas
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
  if (value > int32Max) return [invalidValue(path, value, `should be less than or equal to ${int32Max}`)]
  return []
}

/** `.spec.replicas` → spec, replicas. */
function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.')
}

interface Window {
  readonly spec: Nested<number>
  readonly status: Nested<number>
  readonly selector: Nested<string>
}

function windowOf({ specReplicas, statusReplicas, labelSelector }: ScalePaths, parent: ApiObject): Window {
  const object = draftOf(parent)
  return {
    spec: nestedInteger(object, stepsOf(specReplicas)),
    status: nestedInteger(object, stepsOf(statusReplicas)),
    selector:
      labelSelector === '' ? { ok: true, value: undefined } : nestedText(object, stepsOf(labelSelector)),
  }
}

function foundIn<T>(nested: Nested<T>): T | undefined {
  return nested.ok ? nested.value : undefined
}

function shapeFailure(paths: ScalePaths, parent: ApiObject): ApiFailure | undefined {
  const wrong = Object.values(windowOf(paths, parent)).find((nested) => !nested.ok)
  return wrong === undefined || wrong.ok
    ? undefined
    : { reason: 'InternalError', saidReason: '', message: wrong.failure }
}

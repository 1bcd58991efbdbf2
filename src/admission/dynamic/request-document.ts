/** A request as reviews and expressions show it. Source: admission/v1 AdmissionRequest. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { User } from '../../pipeline/user.ts'
import type { AdmissionRequest, OperationOptions } from '../admission.ts'
import { reviewNamespace } from './selectors.ts'
import { jsonOf, type ShownAs, shownAsRequested } from './shown-as.ts'

/** Everything but `uid`; `object` and `oldObject` are null where there is none. Texts are there even when empty. */
export function requestDocument(request: AdmissionRequest, shown: ShownAs, names: Names): JsonObject {
  const { operation, subresource, name, user, dryRun, object, oldObject, options } = request
  const requested = shownAsRequested(request)
  return {
    kind: kindOf(shown),
    resource: { ...shown.resource },
    subResource: subresource,
    requestKind: kindOf(requested),
    requestResource: { ...requested.resource },
    requestSubResource: subresource,
    name,
    namespace: reviewNamespace(request),
    operation,
    userInfo: userInfo(user),
    object: object === undefined ? null : jsonOf(shown.show(object)),
    oldObject: oldObject === undefined ? null : jsonOf(shown.show(oldObject)),
    dryRun,
    options: options === undefined ? null : optionsDocument(options, `${names.metaGroup}/v1`),
  }
}

function kindOf({ kind: { group, version, kind } }: ShownAs): JsonObject {
  return { group, version, kind }
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return { username: name, uid, groups: [...groups], extra: Object.fromEntries(extra) }
}

function optionsDocument(options: OperationOptions, apiVersion: string): JsonObject {
  const { kind, dryRun } = options
  const start = { kind, apiVersion, ...(dryRun ? { dryRun: ['All'] } : {}) }
  if (options.kind !== 'DeleteOptions') {
    const { fieldManager, fieldValidation, force } = options
    return {
      ...start,
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(force === undefined ? {} : { force }),
      fieldValidation,
    }
  }
  const { gracePeriodSeconds, propagation, uid, resourceVersion } = options
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  return {
    ...start,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  }
}

/** What admission is asked about a connection. */

import { admitOperation } from '../registry/admit-operation.ts'
import { type ApiRequest, objectName } from '../registry/machinery.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { Connected, ConnectParts } from './connection.ts'

/** The options of a connection as an object of their kind. */
export function connectOptions({ subresource }: Connected, options: object): ApiObject {
  return { apiVersion: 'v1', kind: subresource.kind.kind, metadata: {}, ...options }
}

/** Undefined = nobody refuses. Mutating plugins may change the object. */
export function admitConnection(
  { type, subresource }: Connected,
  request: ApiRequest,
  { machinery }: ConnectParts,
  object: ApiObject,
): Promise<ApiFailure | undefined> {
  const { user, warnings } = request
  const asked = {
    type,
    subresource: subresource.name,
    ...objectName(request),
    user,
    dryRun: false,
    object,
    warnings,
  }
  return admitOperation(machinery, asked, 'CONNECT')
}

/** What the server decides of a definition: its status, which begins with the version that is stored. */

import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { textsIn } from '../../types/validation/read.ts'

export function prepareNewDefinition(object: ApiObject): void {
  const stored = storedVersion(object)
  object['status'] = { storedVersions: stored === undefined ? [] : [stored] }
}

/** Objects may be stored in the version from now on: it is remembered until somebody has rewritten them. */
export function prepareChangedDefinition(object: ApiObject): void {
  const stored = storedVersion(object)
  const status = objectAt(object, 'status')
  const before = textsIn(status, 'storedVersions')
  if (stored === undefined || before.includes(stored)) return
  object['status'] = { ...status, storedVersions: [...before, stored] }
}

function storedVersion(object: ApiObject): string | undefined {
  const versions = objectsAt(objectAt(object, 'spec'), 'versions')
  const stored = versions.find((version) => version['storage'] === true)
  return stored === undefined ? undefined : textAt(stored, 'name')
}

/** Role bindings: what is granted cannot be swapped under those who hold it; delete and make a new one. */

import type { JsonObject } from '../../json.ts'
import { notSupported, required } from '../../status/causes.ts'
import { changedCauses } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkName } from '../validation/checks.ts'
import { pathSegmentProblems, subdomainProblems } from '../validation/names.ts'
import { itemsIn, jsonOf, objectIn, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const roleBinding = bindingOf(true)
export const clusterRoleBinding = bindingOf(false)

function bindingOf(namespaced: boolean): ModuleFactory {
  const roleKinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return ({ names }) => {
    const group = names.expand('rbac.authorization.{groups}')
    return {
      strategy: {
        validate: validates((causes, object) => {
          const json = jsonOf(object)
          checkRoleRef(causes, objectIn(json, 'roleRef') ?? {}, group, roleKinds)
          for (const [i, subject] of itemsIn(json, 'subjects').entries()) {
            checkSubject(causes, `subjects[${i}]`, subject, group, namespaced)
          }
        }),
        validateUpdate: (object, old) => changedCauses(object, old, ['roleRef'], 'cannot change roleRef'),
        refusedChangeCode: 400, // specification, "Errors"
      },
    }
  }
}

function checkRoleRef(causes: Causes, ref: JsonObject, group: string, kinds: readonly string[]): void {
  const apiGroup = textIn(ref, 'apiGroup')
  const kind = textIn(ref, 'kind')
  if (apiGroup !== group && apiGroup !== '') causes.push(notSupported('roleRef.apiGroup', apiGroup, [group]))
  if (!kinds.includes(kind)) causes.push(notSupported('roleRef.kind', kind, kinds))
  checkName(causes, 'roleRef', ref, 'name', pathSegmentProblems)
}

function checkSubject(
  causes: Causes,
  path: string,
  subject: JsonObject,
  group: string,
  namespaced: boolean,
): void {
  const apiGroup = textIn(subject, 'apiGroup')
  const kind = textIn(subject, 'kind')
  switch (kind) {
    case 'ServiceAccount':
      checkName(causes, path, subject, 'name', subdomainProblems)
      if (apiGroup !== '') causes.push(notSupported(`${path}.apiGroup`, apiGroup, ['']))
      if (!namespaced && textIn(subject, 'namespace') === '') causes.push(required(`${path}.namespace`))
      break
    case 'User':
    case 'Group':
      if (apiGroup !== group) causes.push(notSupported(`${path}.apiGroup`, apiGroup, [group]))
      break
    default:
      causes.push(notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
  }
}

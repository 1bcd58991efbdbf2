/** Rights on the owners that an object names. */

import t from 'tap'
import { createOwnerReferencesPermissionEnforcement } from '../../../src/admission/plugins/owner-references-permission-enforcement.ts'
import type { Authorizer } from '../../../src/authz/authorizer.ts'
import { attempt, registry, type Trial } from './trial.ts'

/** Allows what is listed: `delete /configmaps ns/a`, `update apps/deployments/finalizers ns/d`. */
const allowing = (...rights: readonly string[]): Authorizer => ({
  authorize({ request }) {
    if (request.type !== 'resource') return { decision: 'noOpinion', reason: '' }
    const { verb, group, resource, subresource, namespace, name } = request
    const path = subresource === '' ? resource : `${resource}/${subresource}`
    const asked = `${verb} ${group}/${path} ${namespace}/${name}`
    return rights.includes(asked)
      ? { decision: 'allow', reason: '' }
      : { decision: 'noOpinion', reason: `no ${asked}` }
  },
})

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: '1' }
const node = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '2' }
const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', name: 'g', uid: '3' }
const owned = (...ownerReferences: readonly object[]): object => ({
  metadata: { name: 'a', namespace: 'ns', ...(ownerReferences.length === 0 ? {} : { ownerReferences }) },
})
const blocking = (owner: object): object => ({ ...owner, blockOwnerDeletion: true })

const remove = 'delete /configmaps ns/a'
const finalize = 'update apps/deployments/finalizers ns/d'
const cannotDelete = `configmaps "a" is forbidden: cannot set an ownerRef on a resource you can't delete: no ${remove}, <nil>`
const cannotBlock = (asked: string): string =>
  `configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no ${asked}, <nil>`

interface Row {
  readonly name: string
  readonly old?: object
  readonly object: object
  readonly rights?: readonly string[]
  /** Absent = let through. */
  readonly refused?: string
}

const rows: readonly Row[] = [
  { name: 'no owners', object: owned() },
  { name: 'an owner, no right to delete', object: owned(deployment), refused: cannotDelete },
  { name: 'an owner, with the right to delete', object: owned(deployment), rights: [remove] },
  {
    name: 'blocking, no right to delete',
    object: owned(blocking(deployment)),
    rights: [finalize],
    refused: cannotDelete,
  },
  {
    name: 'blocking, no right on finalizers',
    object: owned(blocking(deployment)),
    rights: [remove],
    refused: cannotBlock(finalize),
  },
  { name: 'blocking, with both rights', object: owned(blocking(deployment)), rights: [remove, finalize] },
  {
    name: 'blocking an owner of the cluster',
    object: owned(blocking(node)),
    rights: [remove],
    refused: cannotBlock('update /nodes/finalizers /n'),
  },
  {
    name: 'blocking an owner of the cluster, with the right',
    object: owned(blocking(node)),
    rights: [remove, 'update /nodes/finalizers /n'],
  },
  {
    name: 'blocking an owner of an unknown kind',
    object: owned(blocking(gadget)),
    rights: [remove],
    refused:
      'configmaps "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion example.com/v1 Kind Gadget: no matches for kind "Gadget" in version "example.com/v1"',
  },
  {
    name: 'a change of something else',
    old: owned(blocking(deployment)),
    object: owned(blocking(deployment)),
  },
  { name: 'taking an owner away', old: owned(deployment), object: owned(), refused: cannotDelete },
  {
    name: 'taking a blocking owner away',
    old: owned(blocking(deployment)),
    object: owned(),
    rights: [remove],
  },
  {
    name: 'an owner that blocked before, beside a new one',
    old: owned(blocking(deployment)),
    object: owned(blocking(deployment), node),
    rights: [remove],
  },
  {
    name: 'an owner that begins to block',
    old: owned(deployment),
    object: owned(blocking(deployment)),
    rights: [remove],
    refused: cannotBlock(finalize),
  },
]

for (const { name, old, object, rights = [], refused } of rows) {
  t.test(name, async (t) => {
    const plugin = createOwnerReferencesPermissionEnforcement(registry, allowing(...rights))
    const trial: Trial = {
      kind: 'v1 ConfigMap',
      object,
      ...(old === undefined ? {} : { old, operation: 'UPDATE' as const }),
    }
    const outcome = await attempt(plugin, trial)
    if (refused === undefined) t.match(outcome, object)
    else t.equal(outcome, refused)
  })
}

t.test('agents that report the status of pods are not asked', async (t) => {
  const plugin = createOwnerReferencesPermissionEnforcement(registry, allowing())
  const trial = { kind: 'v1 Pod', operation: 'UPDATE' as const, old: owned(), object: owned(deployment) }
  t.match(await attempt(plugin, { ...trial, subresource: 'status' }), { metadata: { name: 'a' } })
  t.type(await attempt(plugin, trial), 'string')
})

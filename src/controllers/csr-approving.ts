/**
 * Approves requests of node agents for their own client certificates, where whoever asked may have one: a new node by
 * the right to create `certificatesigningrequests/nodeclient`, a node that renews by `…/selfnodeclient`.
 */

import type { Authorizer } from '../authz/authorizer.ts'
import { readCertificateRequest } from '../certificates/request.ts'
import { kubeletClientProblem, kubeletClientSigner } from '../certificates/signers.ts'
import type { User } from '../pipeline/user.ts'
import { timestamp } from '../registry/machinery.ts'
import { parseObject } from '../storage/record.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, ControllerFactory } from './controller.ts'
import { isTrue, signingRequestsOf, textsAt } from './csr.ts'
import { createInformer } from './informer.ts'
import { changeOwn, ownFacet } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

const name = 'certificatesigningrequest-approving-controller'

/** A request of a node that nobody may approve yet is looked at again after this. */
const againMs = 10_000

interface Right {
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  readonly message: string
}

const selfNode: Right = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
}
const newNode: Right = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
}

export function createCsrApproving(authorizer: Authorizer): ControllerFactory {
  return (machinery, routes): Controller => {
    const { clock, log, names } = machinery
    const maybeRoute = signingRequestsOf(machinery, routes)
    if (maybeRoute === undefined) return { start() {}, close() {} }
    const route = maybeRoute
    const signer = kubeletClientSigner(names)
    const group = names.expand('certificates.{groups}')
    const write = {
      route,
      machinery,
      user: systemUser,
      manager: name,
      facet: ownFacet(route, 'approval', machinery),
    }

    async function lookAt(key: string): Promise<string | undefined> {
      const found = await route.storage.cached({ namespace: '', name: key })
      if (!found.ok) return found.failure.code
      if (found.value === undefined) return undefined
      const request = parseObject(found.value)
      if (!isOpen(request, signer)) return undefined
      const rights = await rightsFor(request)
      for (const right of rights) {
        if (!(await mayHave(request, right))) continue
        return approve(request, right)
      }
      // Rights are given later too.
      if (rights.length > 0) queue.addLater(key, againMs)
      return undefined
    }

    async function rightsFor(request: ApiObject): Promise<readonly Right[]> {
      const spec = objectAt(request, 'spec') ?? {}
      const read = await readCertificateRequest(textAt(spec, 'request'))
      if (!read.ok || kubeletClientProblem(read.value, textsAt(spec, 'usages')) !== undefined) return []
      return textAt(spec, 'username') === read.value.commonName ? [selfNode, newNode] : [newNode]
    }

    async function mayHave(request: ApiObject, { subresource }: Right): Promise<boolean> {
      const { decision } = await authorizer.authorize({
        user: requesterOf(request),
        request: {
          type: 'resource',
          verb: 'create',
          group,
          version: '*',
          namespace: '',
          resource: 'certificatesigningrequests',
          subresource,
          name: '',
        },
      })
      return decision === 'allow'
    }

    async function approve(request: ApiObject, { message }: Right): Promise<string | undefined> {
      const { name: requested = '', uid } = request.metadata
      const now = timestamp(clock)
      const condition = {
        type: 'Approved',
        status: 'True',
        reason: 'AutoApproved',
        message,
        lastUpdateTime: now,
        lastTransitionTime: now,
      }
      const changed = await changeOwn(write, { namespace: '', name: requested }, (object) => {
        if (object.metadata.uid !== uid || !isOpen(object, signer)) return undefined
        const status = objectAt(draftOf(object), 'status')
        return {
          ...object,
          status: { ...status, conditions: [...objectsAt(status, 'conditions'), condition] },
        }
      })
      return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
    }

    const queue = createWorkQueue({ clock, log, name, work: lookAt })
    const informer = createInformer(
      { clock, log, storage: route.storage, resource: 'certificatesigningrequests' },
      {
        set: (request) => {
          if (isOpen(request, signer)) queue.add(request.metadata.name ?? '')
        },
        remove() {},
      },
    )
    return {
      start: informer.start,
      close() {
        queue.close()
        informer.close()
      },
    }
  }
}

/** Nobody has decided yet, and it is for the signer of node agents. */
function isOpen(request: ApiObject, signer: string): boolean {
  return (
    textAt(objectAt(request, 'spec'), 'signerName') === signer &&
    textAt(objectAt(request, 'status'), 'certificate') === '' &&
    !isTrue(request, 'Approved') &&
    !isTrue(request, 'Denied')
  )
}

/** As the server noted it when the request came. */
function requesterOf(request: ApiObject): User {
  const spec = objectAt(request, 'spec') ?? {}
  const extra = objectAt(spec, 'extra') ?? {}
  return {
    name: textAt(spec, 'username'),
    uid: textAt(spec, 'uid'),
    groups: textsAt(spec, 'groups'),
    extra: new Map(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  }
}

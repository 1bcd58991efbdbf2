/**
 * Approves requests of node agents for their own client certificates, where whoever asked may have one: a new node by
 * the right to create `certificatesigningrequests/nodeclient`, a node that renews by `…/selfnodeclient`.
 */

import type { Authorizer } from '../authz/authorizer.ts'
import { readCertificateRequest } from '../certificates/request.ts'
import { kubeletClientProblem, kubeletClientSigner } from '../certificates/signers.ts'
import type { User } from '../pipeline/user.ts'
import { textsAt } from '../types/columns/read.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { Controller, ControllerFactory } from './controller.ts'
import { isTrue } from './csr.ts'
import { createRequestController, type RequestTools, withCondition } from './csr-controller.ts'

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
    const { names } = machinery
    const signer = kubeletClientSigner(names)
    const group = names.expand('certificates.{groups}')

    async function handle(request: ApiObject, { change, again }: RequestTools): Promise<string | undefined> {
      const rights = await rightsFor(request)
      for (const right of rights) {
        if (!(await mayHave(request, right))) continue
        const approved = { type: 'Approved', reason: 'AutoApproved', message: right.message }
        return change(request, (status) => withCondition(status, approved, machinery))
      }
      // Rights are given later too.
      if (rights.length > 0) again(request, againMs)
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

    return createRequestController(machinery, routes, {
      name,
      subresource: 'approval',
      isDue: (request) => isOpen(request, signer),
      handle,
    })
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

/** Signs approved certificate requests of the built-in signers. */

import { type Authority, createAuthority, type SigningCa } from '../certificates/authority.ts'
import { readCertificateRequest } from '../certificates/request.ts'
import { builtInSigners } from '../certificates/signers.ts'
import type { CsrSigningOptions } from '../certificates/signing-options.ts'
import type { JsonObject } from '../json.ts'
import { textsAt } from '../types/columns/read.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { Controller, ControllerFactory } from './controller.ts'
import { isTrue } from './csr.ts'
import { createRequestController, type RequestTools, withCondition } from './csr-controller.ts'

const name = 'certificatesigningrequest-signing-controller'
const durationMsMin = 10 * 60_000

export function createCsrSigning(
  options: () => CsrSigningOptions,
  randomBytes: (count: number) => Buffer,
): ControllerFactory {
  return (machinery, routes): Controller => {
    const { clock, names } = machinery
    const signers = builtInSigners(names)
    const authorities = new WeakMap<SigningCa, Authority>()

    function authorityOf(ca: SigningCa): Authority {
      const authority = authorities.get(ca) ?? createAuthority(ca, randomBytes)
      authorities.set(ca, authority)
      return authority
    }

    async function handle(request: ApiObject, { change }: RequestTools): Promise<string | undefined> {
      const signed = await statusFor(request)
      return signed === undefined || typeof signed === 'string' ? signed : change(request, signed)
    }

    /** What is to be written; undefined = it is another's to sign; a text says what is in the way for now. */
    async function statusFor(request: ApiObject) {
      const spec = objectAt(request, 'spec') ?? {}
      const signer = signers.get(textAt(spec, 'signerName'))
      const { cas, durationMs } = options()
      const ca = signer === undefined ? undefined : cas[signer.kind]
      if (signer === undefined || ca === undefined) return undefined
      const read = await readCertificateRequest(textAt(spec, 'request'))
      if (!read.ok) return failed(`unable to parse csr: ${read.failure}`)
      const problem = signer.rule(read.value, textsAt(spec, 'usages'))
      if (problem !== undefined) return failed(problem)
      const issued = await authorityOf(ca).issue(read.value, {
        usages: textsAt(spec, 'usages'),
        nowMs: clock.wallMs(),
        durationMs: durationOf(spec, durationMs),
      })
      if (!issued.ok) return issued.failure
      const certificate = Buffer.from(issued.value).toString('base64')
      return () => ({ certificate })
    }

    function failed(message: string) {
      const condition = { type: 'Failed', reason: 'SignerValidationFailure', message }
      return (status: JsonObject | undefined) => withCondition(status, condition, machinery)
    }

    return createRequestController(machinery, routes, {
      name,
      subresource: 'status',
      isDue: isToBeSigned,
      handle,
    })
  }
}

function isToBeSigned(request: ApiObject): boolean {
  return (
    isTrue(request, 'Approved') &&
    !isTrue(request, 'Denied') &&
    !isTrue(request, 'Failed') &&
    textAt(objectAt(request, 'status'), 'certificate') === ''
  )
}

function durationOf({ expirationSeconds }: JsonObject, longestMs: number): number {
  if (typeof expirationSeconds !== 'number') return longestMs
  return Math.min(Math.max(expirationSeconds * 1000, durationMsMin), longestMs)
}

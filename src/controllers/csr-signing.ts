/** Signs approved certificate requests of the built-in signers. */

import { type Authority, createAuthority, type SigningCa } from '../certificates/authority.ts'
import { readCertificateRequest } from '../certificates/request.ts'
import { signerRules } from '../certificates/signers.ts'
import type { JsonObject } from '../json.ts'
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

export interface CsrSigningOptions extends SigningCa {
  /** Longest, and what those get who ask for nothing. */
  readonly durationMs: number
}

const name = 'certificatesigningrequest-signing-controller'
const durationMsMin = 10 * 60_000

export function createCsrSigning(
  options: CsrSigningOptions,
  randomBytes: (count: number) => Buffer,
): ControllerFactory {
  return (machinery, routes): Controller => {
    const { clock, log, names } = machinery
    const maybeRoute = signingRequestsOf(machinery, routes)
    if (maybeRoute === undefined) return { start() {}, close() {} }
    const route = maybeRoute
    const rules = signerRules(names)
    const authority: Authority = createAuthority(options, randomBytes)
    const write = {
      route,
      machinery,
      user: systemUser,
      manager: name,
      facet: ownFacet(route, 'status', machinery),
    }

    async function lookAt(key: string): Promise<string | undefined> {
      const found = await route.storage.cached({ namespace: '', name: key })
      if (!found.ok) return found.failure.code
      if (found.value === undefined) return undefined
      const request = parseObject(found.value)
      if (!isToBeSigned(request)) return undefined
      const signed = await statusFor(request)
      if (signed === undefined) return undefined
      if (typeof signed === 'string') return signed
      const changed = await changeOwn(write, { namespace: '', name: key }, (object) =>
        isToBeSigned(object) && object.metadata.uid === request.metadata.uid
          ? { ...object, status: { ...objectAt(object, 'status'), ...signed(object) } }
          : undefined,
      )
      return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
    }

    /** What is to be written; undefined = it is another's to sign; a text says what is in the way for now. */
    async function statusFor(request: ApiObject) {
      const spec = objectAt(request, 'spec') ?? {}
      const rule = rules.get(textAt(spec, 'signerName'))
      if (rule === undefined) return undefined
      const read = await readCertificateRequest(textAt(spec, 'request'))
      if (!read.ok) return failed(`unable to parse csr: ${read.failure}`)
      const problem = rule(read.value, textsAt(spec, 'usages'))
      if (problem !== undefined) return failed(problem)
      const issued = await authority.issue(read.value, {
        usages: textsAt(spec, 'usages'),
        nowMs: clock.wallMs(),
        durationMs: durationOf(spec, options.durationMs),
      })
      if (!issued.ok) return issued.failure
      const certificate = Buffer.from(issued.value).toString('base64')
      return () => ({ certificate })
    }

    function failed(message: string) {
      const now = timestamp(clock)
      const condition = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message,
        lastUpdateTime: now,
        lastTransitionTime: now,
      }
      return (object: ApiObject): JsonObject => ({
        conditions: [...objectsAt(objectAt(draftOf(object), 'status'), 'conditions'), condition],
      })
    }

    const queue = createWorkQueue({ clock, log, name, work: lookAt })
    const informer = createInformer(
      { clock, log, storage: route.storage, resource: 'certificatesigningrequests' },
      {
        set: (request) => {
          if (isToBeSigned(request)) queue.add(request.metadata.name ?? '')
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

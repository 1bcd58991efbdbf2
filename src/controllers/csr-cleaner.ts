/** Takes away certificate requests that have served: an hour behind their end, a day when nobody decided. */

import { X509Certificate } from 'node:crypto'
import type { Machinery } from '../registry/machinery.ts'
import { parseObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { signingRequestsOf, trueCondition } from './csr.ts'
import { deleteOwn } from './own-writes.ts'
import { recurringController } from './recurring.ts'

const hourMs = 3_600_000
const retryMs = 60_000
const decidedMs = hourMs
const undecidedMs = 24 * hourMs

export function createCsrCleaner(machinery: Machinery, routes: Routes): Controller {
  const { clock, log } = machinery
  const route = signingRequestsOf(machinery, routes)

  async function clean(isOver: () => boolean): Promise<string | undefined> {
    if (route === undefined) return undefined
    const listed = await route.storage.list({ selector: everything, start: { type: 'any' } })
    if (!listed.ok) return listed.failure.code
    for (const item of listed.value.items) {
      if (isOver()) return undefined
      const request = parseObject(item)
      if (!hasServed(request, clock.wallMs())) continue
      const name = { namespace: '', name: item.name }
      const problem = await deleteOwn({ route, machinery, user: systemUser }, name, request.metadata.uid)
      if (problem !== undefined) log.warn('a certificate request stays', { name: item.name, problem })
    }
    return undefined
  }

  return recurringController({
    clock,
    log,
    trouble: 'certificate requests are not cleaned',
    work: clean,
    againMs: hourMs,
    retryMs,
  })
}

/** Pure. */
function hasServed(request: ApiObject, nowMs: number): boolean {
  const certificate = textAt(objectAt(request, 'status'), 'certificate')
  if (certificate !== '' && hasExpired(certificate, nowMs)) return true
  const older = (text: string, ageMs: number): boolean => text !== '' && Date.parse(text) < nowMs - ageMs
  const decisions = ['Approved', 'Denied', 'Failed'].map((type) => trueCondition(request, type))
  if (decisions.some((one) => one !== undefined && older(textAt(one, 'lastUpdateTime'), decidedMs)))
    return true
  return decisions.every((one) => one === undefined) && older(createdAt(request), undecidedMs)
}

function createdAt({ metadata: { creationTimestamp } }: ApiObject): string {
  return creationTimestamp ?? ''
}

function hasExpired(base64: string, nowMs: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, 'base64')).validTo) < nowMs
  } catch {
    return false
  }
}

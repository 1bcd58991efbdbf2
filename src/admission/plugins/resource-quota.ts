/**
 * ResourceQuota: a new object, or a larger one, is charged to the quotas of its namespace before it is stored; what does not
 * fit is refused. Charges are guarded writes to the quotas themselves, so that two workers never share the last of it; what is
 * charged for a write that fails afterwards is given back when the controller counts again.
 *
 * Source: specification, "What the service does" 5 and 6; core/v1 ResourceQuota.
 */

import type { Clock } from '../../../store/contract.ts'
import type { Names } from '../../names/names.ts'
import { boundsFor, isInScopes, type Quota, unspecified } from '../../quota/quota.ts'
import type { QuotaIndex } from '../../quota/quota-index.ts'
import { usageOf } from '../../quota/usage.ts'
import type { ApiFailure } from '../../status/status.ts'
import {
  type Amounts,
  addAmounts,
  describeAmounts,
  pickAmounts,
  subtractAmounts,
} from '../../types/core/amounts.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest, Verdict } from '../admission.ts'
import { whenKnown } from '../ready.ts'
import { refusal } from '../request.ts'

/** Writes to quotas. */
export interface QuotaLedger {
  /**
   * Replaces what is used, guarded: `decide` is called again when the quota has moved. A quota that is gone is none.
   * The failure is the answer to the client.
   */
  charge(quota: Quota, decide: (now: Quota) => Amounts | ApiFailure): Promise<ApiFailure | undefined>
}

interface ResourceQuotaParts {
  readonly names: Names
  readonly clock: Clock
  /** Undefined = quotas are not served. */
  readonly index: QuotaIndex | undefined
  readonly ledger: QuotaLedger
}

/** Nobody bounds these. */
const ignored: ReadonlySet<string> = new Set(['core/events'])
/** Those whose changes may cost more. */
const chargedOnUpdate: ReadonlySet<string> = new Set(['core/services', 'core/persistentvolumeclaims'])

export function createResourceQuota({ names, clock, index, ledger }: ResourceQuotaParts): AdmissionPlugin {
  async function judge(
    request: AdmissionRequest,
    object: ApiObject,
    quotas: readonly Quota[],
  ): Promise<ApiFailure | undefined> {
    const { type } = request
    const concerned = quotas.filter(
      (quota) => boundsFor(quota.hard, type, names).length > 0 && isInScopes(quota, type, object),
    )
    for (const quota of concerned) {
      const why = unfit(quota, boundsFor(quota.hard, type, names), request, object)
      if (why !== undefined) return refusal(request, why)
    }
    const delta = deltaOf(request, object)
    const charged: Quota[] = []
    for (const quota of concerned) {
      const share = pickAmounts(delta, (name) => quota.hard.has(name))
      if (share.size === 0) continue
      const decide = (now: Quota): Amounts | ApiFailure => chargedTo(now, share, request)
      const refused = request.dryRun ? failureIn(decide(quota)) : await ledger.charge(quota, decide)
      if (refused === undefined) charged.push(quota)
      else {
        if (!request.dryRun) await refund(charged, delta)
        return refused
      }
    }
    return undefined
  }

  function deltaOf({ type, operation, oldObject }: AdmissionRequest, object: ApiObject): Amounts {
    const at = { names, nowMs: clock.wallMs() }
    const usage = usageOf(type, object, at)
    const change =
      operation === 'UPDATE' && oldObject !== undefined
        ? subtractAmounts(usage, usageOf(type, oldObject, at))
        : usage
    return pickAmounts(change, (_, { nanos }) => nanos !== 0n)
  }

  async function refund(quotas: readonly Quota[], delta: Amounts): Promise<void> {
    for (const quota of quotas) {
      const share = pickAmounts(delta, (name) => quota.hard.has(name))
      await ledger.charge(quota, ({ used }) => subtractAmounts(used, share))
    }
  }

  function judgeBy(quotas: readonly Quota[], request: AdmissionRequest): Verdict {
    return quotas.length === 0 || request.object === undefined
      ? undefined
      : judge(request, request.object, quotas)
  }

  return {
    name: 'ResourceQuota',
    validate(request) {
      if (index === undefined || !isCharged(request)) return undefined
      const known = { current: () => index.of(request.namespace), ready: index.ready }
      return whenKnown(known, request, (quotas) => judgeBy(quotas, request))
    },
  }
}

function isCharged({ type, operation, subresource }: AdmissionRequest): boolean {
  const prefix = type.storage?.prefix
  if (prefix === undefined || !type.namespaced || subresource !== '' || ignored.has(prefix)) return false
  return operation === 'CREATE' || (operation === 'UPDATE' && chargedOnUpdate.has(prefix))
}

/** Why the object cannot be measured by the quota. */
function unfit(
  quota: Quota,
  bounds: readonly string[],
  { type }: AdmissionRequest,
  object: ApiObject,
): string | undefined {
  const missing = unspecified(type, object, bounds)
  if (missing !== undefined) return `failed quota: ${quota.name}: ${missing}`
  return bounds.every((name) => quota.used.has(name))
    ? undefined
    : `status unknown for quota: ${quota.name}, resources: ${bounds.join(',')}`
}

/** What is used with the share, or why it does not fit. */
function chargedTo(
  { name, hard, used }: Quota,
  share: Amounts,
  request: AdmissionRequest,
): Amounts | ApiFailure {
  const after = addAmounts(used, share)
  const isOver = (resource: string): boolean =>
    share.has(resource) &&
    (after.get(resource)?.nanos ?? 0n) > (hard.get(resource)?.nanos ?? after.get(resource)?.nanos ?? 0n)
  const exceeded = (amounts: Amounts): string => describeAmounts(pickAmounts(amounts, isOver))
  if (![...share.keys()].some(isOver)) return after
  return refusal(
    request,
    `exceeded quota: ${name}, requested: ${exceeded(share)}, used: ${exceeded(used)}, limited: ${exceeded(hard)}`,
  )
}

function failureIn(decided: Amounts | ApiFailure): ApiFailure | undefined {
  return 'reason' in decided ? decided : undefined
}

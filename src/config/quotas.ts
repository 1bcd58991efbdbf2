/** Quotas of one server: which there are, and how they are charged. */

import type { QuotaLedger } from '../admission/plugins/resource-quota.ts'
import { systemUser } from '../controllers/bootstrap.ts'
import type { Routes } from '../controllers/controller.ts'
import { changeOwn, type OwnWrite, ownFacet } from '../controllers/own-writes.ts'
import { isJsonObject } from '../json.ts'
import { readQuota } from '../quota/quota.ts'
import type { Machinery } from '../registry/machinery.ts'
import type { ApiFailure } from '../status/status.ts'
import { writeAmounts } from '../types/core/amounts.ts'

/** @param parts of the server that the ledger is a part of itself: asked for when something is charged */
export function createQuotaLedger(
  parts: () => { readonly machinery: Machinery; readonly routes: Routes },
): QuotaLedger {
  let write: OwnWrite | undefined

  function makeWrite(): OwnWrite | undefined {
    const { machinery, routes } = parts()
    const route = routes.route('', 'v1', 'resourcequotas')
    if (route === undefined) return undefined
    const facet = ownFacet(route, 'status', machinery)
    return { route, machinery, user: systemUser, manager: machinery.names.product, facet }
  }

  return {
    async charge({ namespace, name }, decide) {
      write ??= makeWrite()
      if (write === undefined) return undefined
      let refused: ApiFailure | undefined
      const done = await changeOwn(write, { namespace, name }, (object) => {
        const decided = decide(readQuota(object))
        refused = 'reason' in decided ? decided : undefined
        if ('reason' in decided) return undefined
        const { status } = object
        object['status'] = { ...(isJsonObject(status) ? status : {}), used: writeAmounts(decided) }
        return object
      })
      if (done.ok) return refused
      return done.failure.reason === 'NotFound' ? undefined : done.failure
    },
  }
}

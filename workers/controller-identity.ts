/** Who a server is among those that may run the controllers: its member, which no other process can be at the same time. */

import { hostname } from 'node:os'
import type { Identity } from '../store/member/data-directory.ts'

/** Unique among the servers of a cluster, the same after a restart. */
export function controllerIdentity({ name = hostname(), memberId = 1 }: Identity): string {
  return `${name}_${memberId}`
}

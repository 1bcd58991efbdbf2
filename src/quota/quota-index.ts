/** The quotas of each namespace, as this worker has heard of them. */

import type { Clock } from '../../store/contract.ts'
import { whenReady } from '../admission/ready.ts'
import { createInformer } from '../controllers/informer.ts'
import type { Log } from '../observe/log.ts'
import type { ResourceStorage } from '../storage/contract.ts'
import { type Quota, readQuota } from './quota.ts'

export interface QuotaIndex {
  /** In the order of their names; none = there are none. Undefined = not known yet: wait for {@link ready}. */
  of(namespace: string): readonly Quota[] | undefined
  /** Settles when they are known, or are still not after a while. */
  ready(): Promise<void>
  start(): void
  close(): void
}

interface QuotaIndexParts {
  readonly storage: ResourceStorage
  readonly clock: Clock
  readonly log: Log
}

const none: readonly Quota[] = []

export function createQuotaIndex({ storage, clock, log }: QuotaIndexParts): QuotaIndex {
  const quotas = new Map<string, Quota[]>()
  const informer = createInformer(
    { storage, clock, log, resource: 'resourcequotas' },
    {
      set(object) {
        const quota = readQuota(object)
        const others = without(quota)
        others.push(quota)
        others.sort((a, b) => (a.name < b.name ? -1 : 1))
        quotas.set(quota.namespace, others)
      },
      remove(name) {
        const others = without(name)
        if (others.length === 0) quotas.delete(name.namespace)
        else quotas.set(name.namespace, others)
      },
    },
  )

  function without({ namespace, name }: Pick<Quota, 'namespace' | 'name'>): Quota[] {
    return (quotas.get(namespace) ?? []).filter((quota) => quota.name !== name)
  }

  return {
    of: (namespace) => (informer.isSynced ? (quotas.get(namespace) ?? none) : undefined),
    ready: () => whenReady(informer.synced, clock),
    start: informer.start,
    close: informer.close,
  }
}

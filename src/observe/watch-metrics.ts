/** What watchers were sent, by kind. */

import { eventSizeBounds, type ResourceCounters } from '../storage/counters.ts'
import { boundText, header, labelText, sample } from './exposition.ts'

/** Group ('' = the core group), version and kind of a resource. */
export interface KindLabels {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
}

/**
 * Of what is kept under a prefix (`apps/deployments`); undefined = it is not served. Watches of all versions share
 * their frames as far as these say the same: they count for the version that is preferred.
 */
export type KindOf = (prefix: string) => KindLabels | undefined

const total = 'apiserver_watch_events_total'
const sizes = 'apiserver_watch_events_sizes'

export function watchText(
  resources: ReadonlyMap<string, Readonly<ResourceCounters>>,
  kindOf: KindOf,
): string {
  let totals = header(total, 'Events handed to watchers.', 'counter')
  let histogram = header(sizes, 'Bytes of the events that were handed to watchers.', 'histogram')
  for (const [prefix, counters] of resources) {
    const found = kindOf(prefix)
    if (found === undefined) continue
    const labels = labelText({ group: found.group, version: found.version, kind: found.kind })
    totals += sample(total, labels, counters.eventsDelivered)
    histogram += distribution(labels, counters)
  }
  return totals + histogram
}

function distribution(labels: string, { eventsBySize, bytesDelivered }: Readonly<ResourceCounters>): string {
  let text = ''
  let count = 0
  for (const [at, events] of eventsBySize.entries()) {
    count += events
    text += sample(`${sizes}_bucket`, `${labels},le="${boundText(eventSizeBounds[at])}"`, count)
  }
  return text + sample(`${sizes}_sum`, labels, bytesDelivered) + sample(`${sizes}_count`, labels, count)
}

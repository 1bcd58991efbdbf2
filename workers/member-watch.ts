/** What the operator learns of a member's place in its cluster without asking: log lines, and metrics. */

import { header, sample } from '../src/observe/exposition.ts'
import type { Log } from '../src/observe/log.ts'
import type { Clock, Timer } from '../store/contract.ts'
import type { Cluster, ClusterView } from '../store/member/cluster.ts'

interface MemberWatch {
  /** Prometheus text. */
  metricsText(): string
  close(): void
}

const lookMs = 250
/** An election is over by then: without a leader for longer, somebody should know. */
const leaderlessMs = 3000

interface MemberWatchOptions {
  readonly cluster: Pick<Cluster, 'view'>
  readonly clock: Clock
  readonly log: Log
}

/** Looks at the member again and again; says when it gets another leader, and when it has had none for long. */
export function watchMember({ cluster, clock, log }: MemberWatchOptions): MemberWatch {
  let known: string | undefined
  let leaderSinceMs = clock.monotonicMs()
  let complained = false
  let changes = 0
  let timer: Timer | undefined

  function look(): void {
    const { leader, term, name, members } = cluster.view()
    const nowMs = clock.monotonicMs()
    if (leader !== undefined) {
      leaderSinceMs = nowMs
      if (leader !== known || complained) {
        if (members > 1)
          log.info(leader === name ? 'this member leads' : 'the leader is known', { leader, term })
        if (leader !== known) changes++
      }
      known = leader
      complained = false
    } else if (!complained && nowMs - leaderSinceMs >= leaderlessMs) {
      complained = true
      log.warn('no leader: too few members can be reached, requests wait and are refused', { term, members })
    }
    timer = clock.after(lookMs, look)
  }

  look()
  return {
    metricsText: () => render(cluster.view(), changes),
    close: () => timer?.cancel(),
  }
}

function render({ leader, name, term, members, applied, lag }: ClusterView, changes: number): string {
  const gauges: readonly (readonly [string, string, number])[] = [
    ['store_member_has_leader', 'Whether the member knows a leader.', leader === undefined ? 0 : 1],
    ['store_member_is_leader', 'Whether the member leads.', leader === name ? 1 : 0],
    ['store_member_term', 'Raft term of the member.', term],
    ['store_members', 'Members of the cluster, learners included.', members],
    ['store_member_applied_index', 'Log entry up to which the member has applied.', applied],
    ['store_member_lag_entries', 'Log entries known to be committed and not yet applied.', lag],
  ]
  const total = 'store_member_leader_changes_total'
  return (
    gauges
      .map(([metric, help, value]) => header(metric, help, 'gauge') + sample(metric, '', value))
      .join('') +
    header(total, 'Leaders that the member has had, changes seen.', 'counter') +
    sample(total, '', changes)
  )
}

/** What is logged and counted of a member's leaders. */

import t from 'tap'
import type { Log, LogFields } from '../../src/observe/log.ts'
import type { ClusterView } from '../../store/member/cluster.ts'
import { watchMember } from '../../workers/member-watch.ts'
import { ManualClock } from '../store/support.ts'

t.test('leaders come, go and stay away', (t) => {
  const clock = new ManualClock()
  const lines: string[] = []
  const say =
    (level: string) =>
    (message: string, { leader, term }: LogFields = {}): void => {
      lines.push(`${level} ${message}: ${leader ?? '-'} ${term}`)
    }
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  let view: ClusterView = { name: 'a', leader: undefined, term: 0, members: 3, applied: 0, lag: 0 }
  const watch = watchMember({ cluster: { view: () => view }, clock, log })
  t.teardown(() => watch.close())
  const pass = (ms: number): void => {
    for (let i = 0; i < ms / 250; i++) clock.advance(250)
  }
  const become = (change: Partial<ClusterView>): void => {
    view = { ...view, ...change }
    pass(250)
  }
  become({ leader: 'a', term: 1 })
  become({ leader: undefined, term: 2 })
  pass(1000)
  become({ leader: 'b', term: 2, applied: 7, lag: 2 })
  become({ leader: undefined })
  pass(4000)
  become({ leader: 'b' })
  t.same(lines, [
    'info this member leads: a 1',
    'info the leader is known: b 2',
    'warn no leader: too few members can be reached, requests wait and are refused: - 2',
    'info the leader is known: b 2',
  ])
  const samples = watch
    .metricsText()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  t.same(samples, [
    'store_member_has_leader 1',
    'store_member_is_leader 0',
    'store_member_term 2',
    'store_members 3',
    'store_member_applied_index 7',
    'store_member_lag_entries 2',
    'store_member_leader_changes_total 2',
  ])
  t.end()
})

/** Schedules of cron jobs. */

import t from 'tap'
import { scheduleProblem } from '../../../src/types/batch/cron-schedule.ts'

t.test('schedules that can be kept', (t) => {
  const schedules = [
    '* * * * *',
    '0 0 1 1 0',
    '*/15 0-23/2 1,15 JAN-Dec mon-fri',
    '59 23 31 12 6',
    '5/10 ? * * ?',
    '0  0   * * sun',
    '@daily',
    '@every 1h30m',
    '@every 1.5s',
  ]
  for (const schedule of schedules) t.equal(scheduleProblem(schedule), undefined, schedule)
  t.end()
})

t.test('schedules that cannot, and why', (t) => {
  const table: [schedule: string, problem: RegExp][] = [
    ['* * * *', /expected exactly 5 fields, found 4: \[\* \* \* \*\]/],
    ['* * * * * *', /found 6/],
    ['60 * * * *', /end of range \(60\) above maximum \(59\): 60/],
    ['* 24 * * *', /above maximum \(23\)/],
    ['* * 0 * *', /beginning of range \(0\) below minimum \(1\): 0/],
    ['* * * 13 *', /above maximum \(12\)/],
    ['* * * * 7', /above maximum \(6\)/],
    ['5-1 * * * *', /beginning of range \(5\) beyond end of range \(1\): 5-1/],
    ['*/0 * * * *', /step of range should be a positive number/],
    ['1/2/3 * * * *', /too many slashes/],
    ['1-2-3 * * * *', /too many hyphens/],
    ['a * * * *', /failed to parse int from a/],
    ['-5 * * * *', /failed to parse int from /],
    ['* * * * * ,', /found 6/],
    [', * * * *', /failed to parse minute/],
    ['@sometimes', /unrecognized descriptor: @sometimes/],
    ['@every day', /failed to parse duration @every day/],
  ]
  for (const [schedule, problem] of table) t.match(scheduleProblem(schedule), problem, schedule)
  t.end()
})

import t from 'tap'
import { measureFanout } from '../../../bench/fanout.ts'

t.test('the fan-out measurement runs', async (t) => {
  const report = await measureFanout(5, 20)
  for (const [name, found] of Object.entries(report)) t.type(found, 'number', name)
  t.ok(report.microsPerEvent > 0 && report.microsPerEventElsewhere > 0)
})

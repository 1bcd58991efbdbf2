import t from 'tap'
import { measureFanout } from '../../../bench/fanout.ts'

t.test('the fan-out measurement runs', async (t) => {
  const report = await measureFanout(5, 20)
  for (const [name, found] of Object.entries(report)) t.type(found, 'number', name)
  const { microsPerEvent, microsPerEventElsewhere, microsPerEventUnselected } = report
  t.ok(microsPerEvent > 0 && microsPerEventElsewhere > 0 && microsPerEventUnselected > 0)
})

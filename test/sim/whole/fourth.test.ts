/** More seeds: a file stays within the time of a test, also on a busy machine. */
import t from 'tap'
import { expectGuarantees } from './seeds.ts'

t.test('every guarantee holds in seeds 376 to 500', (t) => expectGuarantees(t, 376, 125))

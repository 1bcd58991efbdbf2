/** More seeds: a file stays within the time of a test, also on a busy machine. */
import t from 'tap'
import { expectGuarantees } from './seeds.ts'

t.test('every guarantee holds in seeds 251 to 375', (t) => expectGuarantees(t, 251, 125))

/** More seeds, in a process of their own: both processors have something to do. */
import t from 'tap'
import { expectGuarantees } from './seeds.ts'

t.test('every guarantee holds in seeds 251 to 500', (t) => expectGuarantees(t, 251, 250))

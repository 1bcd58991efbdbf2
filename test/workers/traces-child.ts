/** Ends with an error that nobody caught. */

import { nameSourcesInTraces } from '../../workers/traces.ts'

nameSourcesInTraces()
function fail(): never {
  throw new RangeError('too far')
}
fail()

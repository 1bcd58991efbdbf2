/** What every expression may use: the standard definitions of the language. */

import type { Library } from './library.ts'
import { conversions } from './standard/conversions.ts'
import { operators } from './standard/operators.ts'
import { stringTests } from './standard/strings.ts'
import { times } from './standard/times.ts'

export const standardLibrary: Library = {
  name: 'standard',
  overloads: [...operators, ...conversions, ...stringTests, ...times],
}

/** Whether a schema has rules at all: what compiles and runs them is loaded with the first that has. */

import { isConcernedBy } from '../schema/walk.ts'

/** Anywhere in it. */
export const hasRules = isConcernedBy(({ rules }) => rules.length > 0)

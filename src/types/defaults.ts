/** The default rules of all types, by message id. */

import type { DefaultRule } from '../schema/defaults.ts'

export const defaultRules: ReadonlyMap<string, DefaultRule> = new Map<string, DefaultRule>([])

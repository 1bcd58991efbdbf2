/** Core types with one peculiarity each. */

import { immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'

/** A node's agent knows its state when it registers. */
export const node: ModuleFactory = () => ({ strategy: { keepsStatusOnCreate: true } })

export const resourceQuota: ModuleFactory = () => ({ strategy: { validateUpdate: immutable('spec.scopes') } })

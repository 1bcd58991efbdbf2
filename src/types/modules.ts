/** The modules of the types that are more than their data, by storage prefix. */

import type { ModuleFactory } from './module.ts'

export const modules: ReadonlyMap<string, ModuleFactory> = new Map<string, ModuleFactory>([])

/** Paths of files, as objects name them. */

import { invalidValue } from '../../status/causes.ts'
import type { Causes } from './checks.ts'

/** Nothing may climb out of where it is. */
export function checkNoBacksteps(causes: Causes, path: string, value: string): void {
  if (value.includes('..') && value.split('/').includes('..'))
    causes.push(invalidValue(path, value, "must not contain '..'"))
}

/** A path below a directory that somebody else chooses. */
export function checkRelativePath(causes: Causes, path: string, value: string): void {
  if (value.startsWith('/')) causes.push(invalidValue(path, value, 'must be a relative path'))
  checkNoBacksteps(causes, path, value)
}

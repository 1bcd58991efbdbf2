import { invalidValue } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'

/** `.spec.size`. False = it is wrong, and `causes` says so. */
export function checkSimplePath(causes: Causes, at: string, path: string): boolean {
  if (path.startsWith('.')) return true
  causes.push(invalidValue(at, path, 'must be a simple json path starting with .'))
  return false
}

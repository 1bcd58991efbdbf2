/** Files that a flag names. */

import { readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../store/contract.ts'

/** The failure names flag and file. */
export async function readFlagFile(flag: string, path: string): Promise<Result<string, string>> {
  try {
    return ok(await readFile(path, 'utf8'))
  } catch (error) {
    return fail(`${flag} ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

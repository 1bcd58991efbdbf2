/** Where the scripts are that run as processes of their own: beside this file, and beside the bundle that holds it. */

import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export function processScript(name: 'main' | 'worker'): string {
  return fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url))
}

/** Facts of this build, from the package that it came in. */

import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildInfo } from '../src/server.ts'

const here = fileURLToPath(import.meta.url)

/** Of the package that holds this file. */
export function packageVersion(): string {
  for (let at = dirname(here); dirname(at) !== at; at = dirname(at)) {
    const version = versionIn(join(at, 'package.json'))
    if (version !== undefined) return version
  }
  return '0.0.0'
}

function versionIn(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return undefined
    return typeof manifest.version === 'string' ? manifest.version : undefined
  } catch {
    return undefined // none here: it is further up
  }
}

/** The API is that of release 1.30; behind `+` stands whose implementation answers. */
export function buildInfo(): BuildInfo {
  const version = packageVersion()
  return {
    major: '1',
    minor: '30',
    gitVersion: `v1.30.0+cluster-apiserver.${version}`,
    gitCommit: '',
    buildDate: `${statSync(here).mtime.toISOString().slice(0, 19)}Z`,
  }
}

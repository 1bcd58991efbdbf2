/** The project's own sources, for the tests that check how the house is kept. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Source {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly text: string
}

/** The folder that holds package.json; tests run from `dist/test/…` below it. */
export const root = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    if (typeof manifest === 'object' && manifest !== null && 'devDependencies' in manifest) return from
  } catch {
    // No manifest here: look further up.
  }
  const parent = dirname(from)
  if (parent === from) throw new Error('no package.json above the tests')
  return findRoot(parent)
}

/** All files that git tracks or would track, whose name ends in one of `endings`. */
export function sources(...endings: readonly string[]): readonly Source[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed
    .split('\n')
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .map((path) => ({ path, text: readIfPresent(path) }))
    .filter((source) => source.text !== '')
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return '' // deleted in the working tree, still in the index
  }
}

/** Which build serves: operators look here for servers that have been left behind. The labels are the original's. */

import type { Names } from '../names/names.ts'
import { header, labelText, sample } from './exposition.ts'

/** What `/version` says of itself. */
export interface BuildFacts {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly compiler: string
  readonly platform: string
}

/** Text that never changes. There is no release of Go: that label is empty. */
export function buildText({ product }: Names, facts: BuildFacts): string {
  const name = `${product}_build_info`
  const labels = labelText({
    build_date: facts.buildDate,
    compiler: facts.compiler,
    git_commit: facts.gitCommit,
    git_tree_state: facts.gitTreeState,
    git_version: facts.gitVersion,
    go_version: '',
    major: facts.major,
    minor: facts.minor,
    platform: facts.platform,
  })
  return header(name, 'Always 1; the labels tell which build this is.', 'gauge') + sample(name, labels, 1)
}

/** `/version`. Source: specification, "Health endpoints" (other non-resource paths). */

import type { BuildFacts } from '../observe/build-metrics.ts'
import type { BuildInfo } from '../server.ts'

export function versionDocument({
  major,
  minor,
  gitVersion,
  gitCommit,
  buildDate,
}: BuildInfo): BuildFacts & { readonly nodeVersion: string } {
  return {
    major,
    minor,
    gitVersion,
    gitCommit,
    gitTreeState: 'clean',
    buildDate,
    nodeVersion: process.version,
    compiler: 'tsc',
    platform: `${process.platform}/${architecture(process.arch)}`,
  }
}

/** As container images name it. */
function architecture(arch: string): string {
  return arch === 'x64' ? 'amd64' : arch
}

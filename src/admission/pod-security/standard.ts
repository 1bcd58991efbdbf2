/** The three standards, and what labels of namespaces say of them. Pure. Source: Pod Security Standards. */

import {
  appArmorProfile,
  baselineCapabilities,
  baselineSeccomp,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  seLinuxOptions,
  sysctls,
  windowsHostProcess,
} from './baseline.ts'
import {
  privilegeEscalation,
  restrictedCapabilities,
  restrictedSeccomp,
  runAsNonRoot,
  runAsUser,
  volumeTypes,
} from './restricted.ts'
import type { Check, CheckedPod } from './violation.ts'

export const levels = ['privileged', 'baseline', 'restricted'] as const
type Level = (typeof levels)[number]
export type Mode = 'enforce' | 'audit' | 'warn'

/** A standard at a version: `restricted:latest`. */
interface Standard {
  readonly level: Level
  /** `latest` or `v1.<minor>`. */
  readonly version: string
}

const newestMinor = 30
const versionShape = /^v1\.(0|[1-9]\d*)$/

export const isLevel = (text: string): text is Level => levels.some((level) => level === text)
export const isVersion = (text: string): boolean => text === 'latest' || versionShape.test(text)

/** What a namespace wants in one mode. A label that cannot be read counts as the strictest. */
export function standardOf(labels: Readonly<Record<string, string>>, label: string): Standard {
  const { [label]: level = 'privileged', [`${label}-version`]: version = 'latest' } = labels
  return {
    level: isLevel(level) ? level : 'restricted',
    version: isVersion(version) ? version : 'latest',
  }
}

function minorOf({ version }: Standard): number {
  const minor = versionShape.exec(version)?.[1]
  return minor === undefined ? newestMinor : Math.min(Number(minor), newestMinor)
}

const checks: Readonly<Record<Level, readonly Check[]>> = {
  privileged: [],
  baseline: [
    appArmorProfile,
    baselineCapabilities,
    hostNamespaces,
    hostPathVolumes,
    hostPorts,
    privileged,
    procMount,
    seLinuxOptions,
    baselineSeccomp,
    sysctls,
    windowsHostProcess,
  ],
  // Stricter rules about the same thing take the place of those of `baseline`.
  restricted: [
    appArmorProfile,
    hostNamespaces,
    hostPorts,
    privileged,
    procMount,
    seLinuxOptions,
    sysctls,
    windowsHostProcess,
    privilegeEscalation,
    restrictedCapabilities,
    volumeTypes,
    runAsNonRoot,
    runAsUser,
    restrictedSeccomp,
  ],
}

/** `violates PodSecurity "restricted:latest": …` without its verb; undefined = the pod passes. */
export function problemOf(pod: Omit<CheckedPod, 'minor'>, standard: Standard): string | undefined {
  const minor = minorOf(standard)
  const found = checks[standard.level].flatMap((check) => check({ ...pod, minor }) ?? [])
  if (found.length === 0) return undefined
  const details = found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')
  return `PodSecurity "${standard.level}:${standard.version}": ${details}`
}

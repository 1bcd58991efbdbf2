/**
 * Which versions and resources are served. Stable versions are, alpha and beta ones only when asked for (or when
 * their schema says otherwise).
 *
 * Source: specification, "Groups and paths", "Stability levels".
 */

import type { Result } from '../../store/contract.ts'
import type { RuntimeConfig } from './resource.ts'

export interface KnownVersion {
  readonly group: string
  readonly version: string
  readonly servedByDefault: boolean
  readonly plurals: readonly string[]
}

/** Is this resource served? A setting that names more wins over one that names less. */
type Served = (known: KnownVersion, plural: string) => boolean

/** Fails on a key that means nothing, naming it. */
export function readRuntimeConfig(
  config: RuntimeConfig,
  versions: readonly KnownVersion[],
): Result<Served, { readonly message: string }> {
  const meaningful = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha', 'api/v1'])
  for (const known of versions) {
    meaningful.add(versionKey(known))
    for (const plural of known.plurals) meaningful.add(`${versionKey(known)}/${plural}`)
  }
  for (const key of config.keys()) {
    if (!meaningful.has(key)) {
      return {
        ok: false,
        failure: { message: `runtime-config: unknown group version or resource ${JSON.stringify(key)}` },
      }
    }
  }
  return {
    ok: true,
    value: (known, plural) =>
      config.get(`${versionKey(known)}/${plural}`) ??
      config.get(versionKey(known)) ??
      (known.group === '' ? config.get('api/v1') : undefined) ??
      config.get(stabilityKey(known.version)) ??
      config.get('api/all') ??
      known.servedByDefault,
  }
}

/** `v1` for the core group. */
function versionKey({ group, version }: KnownVersion): string {
  return group === '' ? version : `${group}/${version}`
}

function stabilityKey(version: string): string {
  if (version.includes('alpha')) return 'api/alpha'
  return version.includes('beta') ? 'api/beta' : 'api/ga'
}

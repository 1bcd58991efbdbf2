/**
 * Bearer tokens with which new nodes introduce themselves, kept in secrets of the system's namespace.
 *
 * Source: specification, "Bootstrap tokens".
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { ResourceStorage } from '../storage/contract.ts'
import { parseObject } from '../storage/record.ts'
import { type Authentication, authenticatedGroup, type TokenAuthenticator } from './authenticate.ts'
import {
  bootstrapGroup,
  bootstrapSecretPrefix,
  bootstrapTokenOf,
  hasExpired,
  splitBootstrapToken,
} from './bootstrap-token-secret.ts'

interface BootstrapTokenParts {
  readonly names: Names
  readonly clock: Clock
  readonly secrets: ResourceStorage
}

const none: Authentication = { type: 'none' }

/** Looks at this worker's cache alone: guessing costs the store nothing. */
export function createBootstrapTokenAuthenticator({
  names,
  clock,
  secrets,
}: BootstrapTokenParts): TokenAuthenticator {
  return {
    async authenticateToken(token) {
      const given = splitBootstrapToken(token)
      if (given === undefined) return none
      const name = bootstrapSecretPrefix + given.id
      const found = await secrets.cached({ namespace: names.systemNamespace, name })
      if (!found.ok || found.value === undefined) return none
      const secret = parseObject(found.value)
      if (secret.metadata.deletionTimestamp !== undefined) return none
      const kept = bootstrapTokenOf(secret, names)
      if (kept === undefined || !sameText(kept.secret, given.secret)) return none
      if (hasExpired(kept, clock.wallMs()) || !kept.authenticates || kept.extraGroups === undefined)
        return none
      return {
        type: 'user',
        user: {
          name: `system:bootstrap:${kept.id}`,
          uid: '',
          groups: [...new Set([bootstrapGroup, ...kept.extraGroups, authenticatedGroup])],
          extra: new Map(),
        },
      }
    },
  }
}

/** In a time that does not depend on where they differ. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

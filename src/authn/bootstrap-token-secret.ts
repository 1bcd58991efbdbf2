/**
 * Bootstrap tokens as they are kept: what a secret says of one. Pure.
 *
 * Source: specification, "Bootstrap tokens".
 */

import type { Names } from '../names/names.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

export interface BootstrapToken {
  /** Six characters; public. */
  readonly id: string
  /** Sixteen characters. */
  readonly secret: string
  /** Undefined = it never expires. A text that is no time has expired at once. */
  readonly expiresMs: number | undefined
  readonly authenticates: boolean
  readonly signs: boolean
  /** Behind the group of all of them; undefined = one is not such a group, and the token counts for nobody. */
  readonly extraGroups: readonly string[] | undefined
}

export const bootstrapSecretPrefix = 'bootstrap-token-'
export const bootstrapGroup = 'system:bootstrappers'

const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const nameForm = /^bootstrap-token-([a-z0-9]{6})$/
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/** Undefined = it has not the form of one. */
export function splitBootstrapToken(token: string): Pick<BootstrapToken, 'id' | 'secret'> | undefined {
  const [, id, secret] = tokenForm.exec(token) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Undefined = the secret holds none: of another type, name or place, or without its parts. */
export function bootstrapTokenOf(secret: ApiObject, names: Names): BootstrapToken | undefined {
  const { namespace, name = '' } = secret.metadata
  const [, id] = nameForm.exec(name) ?? []
  if (id === undefined || namespace !== names.systemNamespace) return undefined
  if (textAt({ type: secret['type'] as string }, 'type') !== bootstrapSecretType(names)) return undefined
  const data = (key: string): string =>
    Buffer.from(textAt(objectAt(secret, 'data'), key), 'base64').toString('utf8')
  if (data('token-id') !== id || data('token-secret') === '') return undefined
  const expiration = data('expiration')
  const extra = data('auth-extra-groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
  return {
    id,
    secret: data('token-secret'),
    expiresMs: expiration === '' ? undefined : timeOf(expiration),
    authenticates: data('usage-bootstrap-authentication') === 'true',
    signs: data('usage-bootstrap-signing') === 'true',
    extraGroups: extra.every((group) => groupForm.test(group)) ? extra : undefined,
  }
}

export function bootstrapSecretType({ expand }: Names): string {
  return expand('bootstrap.{labels}/token')
}

export function hasExpired({ expiresMs }: BootstrapToken, nowMs: number): boolean {
  return expiresMs !== undefined && expiresMs < nowMs
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

function timeOf(text: string): number {
  const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms
}

/**
 * The signature that lets a new node trust `cluster-info` before it trusts any CA: a detached JWS (RFC 7515, appendix F)
 * with HS256, whose key is a token that both sides know.
 */

import { createHmac } from 'node:crypto'
import type { BootstrapToken } from '../authn/bootstrap-token-secret.ts'
import type { DialectName } from '../names/names.ts'

/**
 * `<header>..<signature>`. The specification keys it with the full token; the tools that join nodes in the dialect
 * kubernetes know the half behind the dot only, and compare the whole text.
 */
export function detachedSignature(
  content: string,
  { id, secret }: Pick<BootstrapToken, 'id' | 'secret'>,
  dialect: DialectName,
): string {
  const header = encode(JSON.stringify({ alg: 'HS256', kid: id }))
  const key = dialect === 'kubernetes' ? secret : `${id}.${secret}`
  const signature = createHmac('sha256', key)
    .update(`${header}.${encode(content)}`)
    .digest('base64url')
  return `${header}..${signature}`
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** Which of two pools of CAs vouches for a certificate that TLS has verified against both together. */

import type { X509Certificate } from 'node:crypto'
import { readCertificates } from '../../src/outside/certificates.ts'
import type { TlsMaterial } from './tls-material.ts'

export interface Pools {
  readonly clients: readonly X509Certificate[]
  readonly proxies: readonly X509Certificate[]
}

export function readPools({ clientCa, proxyCa }: Pick<TlsMaterial, 'clientCa' | 'proxyCa'>): Pools {
  return { clients: poolOf(clientCa), proxies: proxyCa === undefined ? [] : poolOf(proxyCa) }
}

function poolOf(text: string): readonly X509Certificate[] {
  const pool = readCertificates(text)
  if (!pool.ok) throw new TypeError('CAs that were not checked before')
  return pool.value
}

/** Longer chains are nobody's. */
const chainLengthMax = 8

/** @param leaf with its issuers as the client sent them */
export function isVouchedFor(
  leaf: X509Certificate,
  pool: readonly X509Certificate[],
  nowMs: number,
): boolean {
  let certificate: X509Certificate | undefined = leaf
  for (let length = 0; certificate !== undefined && length < chainLengthMax; length++) {
    const current: X509Certificate = certificate
    if (pool.some((ca) => ca.ca && isCurrent(ca, nowMs) && hasIssued(ca, current))) return true
    const issuer: X509Certificate | undefined = current.issuerCertificate
    const usable = issuer?.ca === true && isCurrent(issuer, nowMs) && hasIssued(issuer, current)
    certificate = usable && issuer.fingerprint256 !== current.fingerprint256 ? issuer : undefined
  }
  return false
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isCurrent({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo)
}

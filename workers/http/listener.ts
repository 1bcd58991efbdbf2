/** A place where clients connect: what the processes know of a transport once it runs. */

import type { TlsMaterial } from './tls-material.ts'

type TransportName = 'node' | 'uws'

export interface Listener {
  readonly transport: TransportName
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** The port in use; where 0 was asked for, the one that was free. */
  readonly port: number
  /** Takes the place of the certificates and CAs so far; on a plaintext listener, nothing happens. */
  setTls(tls: TlsMaterial): void
  /** Connections so far that did not become any, for their handshake failed. */
  handshakeErrors(): number
  /**
   * Accepts no more connections, closes idle ones at once and busy ones after their answer. Resolves when all are
   * gone: bound it with `destroy`.
   */
  close(): Promise<void>
  /** Drops every connection now. */
  destroy(): void
}

export type ListenFailure =
  | { readonly code: 'AddressInUse'; readonly host: string; readonly port: number }
  | { readonly code: 'AddressNotAvailable'; readonly host: string; readonly port: number }
  | { readonly code: 'NotPermitted'; readonly host: string; readonly port: number }

/** A sentence for people. */
export function describeListenFailure({ code, host, port }: ListenFailure): string {
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  switch (code) {
    case 'AddressInUse':
      return `${where} is in use by another process`
    case 'AddressNotAvailable':
      return `${where} is no address of this machine`
    case 'NotPermitted':
      return `this account may not listen on ${where}`
  }
}

/** The failure behind an error of `listen`; undefined = none of the expected ones. */
export function listenFailureOf(error: unknown, host: string, port: number): ListenFailure | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return { code: 'AddressInUse', host, port }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return { code: 'AddressNotAvailable', host, port }
    case 'EACCES':
    case 'EPERM':
      return { code: 'NotPermitted', host, port }
    default:
      return undefined
  }
}

/** What a TLS listener shows and believes. All PEM text. */
export interface TlsMaterial {
  readonly certificate: string
  readonly privateKey: string
  /** CAs that vouch for client certificates. */
  readonly clientCa: string
  /** CAs that vouch for authenticating proxies; absent = there are none. */
  readonly proxyCa?: string
  /** 48 bytes that the workers of a server share, so that a client resumes its TLS session on any of them. */
  readonly ticketKeys?: Buffer
}

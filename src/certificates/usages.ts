/** What a certificate may be used for, by the words of this API. Source: RFC 5280, sections 4.2.1.3 and 4.2.1.12. */

/** Bits of the key usage extension. */
const keyUsages: ReadonlyMap<string, number> = new Map([
  ['signing', 1],
  ['digital signature', 1],
  ['content commitment', 2],
  ['key encipherment', 4],
  ['data encipherment', 8],
  ['key agreement', 16],
  ['cert sign', 32],
  ['crl sign', 64],
  ['encipher only', 128],
  ['decipher only', 256],
])

const extendedUsages: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
])

interface CertificateUsages {
  /** Of the key usage extension; 0 = none. */
  readonly flags: number
  readonly extended: readonly string[]
}

/** Words that nobody knows have been refused when the request was made. */
export function usagesOf(words: readonly string[]): CertificateUsages {
  return {
    flags: words.reduce((flags, word) => flags | (keyUsages.get(word) ?? 0), 0),
    extended: [...new Set(words.flatMap((word) => extendedUsages.get(word) ?? []))],
  }
}

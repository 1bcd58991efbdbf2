import { createRequire } from 'node:module'
import type * as X509 from '@peculiar/x509'

const require = createRequire(import.meta.url)
let loaded: typeof X509 | undefined

/**
 * The library takes a while to load, so that those load it who need it; imported, twice as long: Node would read
 * each CommonJS module beforehand, to learn what it exports.
 */
export function loadX509(): typeof X509 {
  if (loaded !== undefined) return loaded
  require('reflect-metadata') // the library asks for it, and wants it first
  const library: typeof X509 = require('@peculiar/x509')
  library.cryptoProvider.set(globalThis.crypto)
  loaded = library
  return library
}

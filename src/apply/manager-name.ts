/**
 * Names of field managers: given with the request, or inferred from its User-Agent.
 *
 * Source: specification, "Query parameters" (fieldManager), "Server-side apply".
 */

import { invalidValue, required, tooLong } from '../status/causes.ts'
import { isPrintable } from '../status/quote.ts'
import type { Cause } from '../status/status.ts'

const managerBytesMax = 128

/** Nothing in it is left out: as nearly all are. */
const plain = /^[ -~]{0,128}$/

/** The manager of a write that is no apply. */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager !== undefined && fieldManager !== ''
    ? fieldManager
    : managerFromUserAgent(userAgent ?? '')
}

/** What stands before the first `/`, without unprintable characters, as many whole characters as fit 128 bytes. */
export function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash)
  if (plain.test(product)) return product
  let name = ''
  let bytes = 0
  for (const character of product) {
    if (!isPrintable(character)) continue
    bytes += Buffer.byteLength(character)
    if (bytes > managerBytesMax) break
    name += character
  }
  return name
}

/** What is wrong with the `fieldManager` parameter; empty = nothing. An apply needs one. */
export function fieldManagerCauses(fieldManager: string, isApply: boolean): readonly Cause[] {
  const field = 'fieldManager'
  if (fieldManager === '') return isApply ? [required(field, 'is required for apply patch')] : []
  const causes: Cause[] = []
  if (Buffer.byteLength(fieldManager) > managerBytesMax) causes.push(tooLong(field, managerBytesMax))
  let position = 0
  for (const character of fieldManager) {
    if (!isPrintable(character)) {
      const found = `invalid character ${describe(character)} (at position ${position})`
      causes.push(invalidValue(field, fieldManager, found))
    }
    position += Buffer.byteLength(character)
  }
  return causes
}

function describe(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

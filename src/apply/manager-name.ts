/**
 * Names of field managers: given with the request, or inferred from its User-Agent.
 *
 * Source: specification, "Query parameters" (fieldManager), "Server-side apply".
 */

import type { Cause } from '../status/status.ts'

const managerBytesMax = 128

/** Unprintable: control, format, unassigned and surrogate characters, and every space but the plain one. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u

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
    if (unprintable.test(character)) continue
    bytes += Buffer.byteLength(character)
    if (bytes > managerBytesMax) break
    name += character
  }
  return name
}

/** What is wrong with the `fieldManager` parameter; empty = nothing. An apply needs one. */
export function fieldManagerCauses(fieldManager: string | undefined, isApply: boolean): readonly Cause[] {
  const name = fieldManager ?? ''
  const field = 'fieldManager'
  const causes: Cause[] = []
  if (isApply && name === '') {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value: is required for apply patch',
      field,
    })
  }
  if (Buffer.byteLength(name) > managerBytesMax) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be longer than ${managerBytesMax}`,
      field,
    })
  }
  if (unprintable.test(name)) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name)}: should only contain printable characters`,
      field,
    })
  }
  return causes
}

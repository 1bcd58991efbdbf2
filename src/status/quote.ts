/** Texts in messages: between double quotes, with what cannot be printed spelled out as clients of this API know it. */

import { escapes } from '../escapes.ts'

/** Control, format, unassigned and surrogate characters, and every space but the plain one. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
const special = /["\\]|[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

export function isPrintable(character: string): boolean {
  return !unprintable.test(character)
}

/** `a"b` → `"a\"b"`, U+0001 → `\x01`, U+200B → `\u200b`. */
export function quote(text: string): string {
  return `"${text.replace(special, (character) => escapes.get(character) ?? spelled(character))}"`
}

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x80) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}

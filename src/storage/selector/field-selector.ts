/**
 * Field selectors as clients write them: `metadata.name=web,status.phase!=Running`. In values `\\`, `\,` and `\=` stand
 * for the character itself. Which fields a type knows is for the caller to check.
 *
 * Source: specification, "Query parameters"; the grammar that clients of this API know.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { Requirement } from '../contract.ts'

/** Fails with BadRequest. An empty text selects all. */
export function parseFieldSelector(text: string): Result<readonly Requirement[], ApiFailure> {
  const requirements: Requirement[] = []
  for (const term of splitTerms(text)) {
    if (term === '') continue
    const parts = splitTerm(term)
    if (parts === undefined) return bad(`invalid selector: '${text}'; can't understand '${term}'`)
    const value = unescapeValue(parts.value)
    if (!value.ok) return value
    requirements.push({ name: parts.name, operator: parts.operator, values: [value.value] })
  }
  return ok(requirements)
}

function bad(message: string) {
  return fail({ reason: 'BadRequest' as const, message })
}

/** Splits at commas that no backslash stands before. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function splitTerm(term: string) {
  const at = term.search(/!=|=/)
  if (at < 0) return undefined
  const sign = term.startsWith('!=', at) || term.startsWith('==', at) ? 2 : 1
  return {
    name: term.slice(0, at),
    operator: term.charAt(at) === '!' ? ('notIn' as const) : ('in' as const),
    value: term.slice(at + sign),
  }
}

function unescapeValue(text: string): Result<string, ApiFailure> {
  if (!/[\\,=]/.test(text)) return ok(text)
  let value = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') {
      const escaped = text.charAt(++at)
      if (escaped === '' || !'\\,='.includes(escaped)) {
        return bad(`invalid field selector: invalid escape sequence: \\${escaped}`)
      }
      value += escaped
    } else if (character === ',' || character === '=') {
      return bad(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`)
    } else {
      value += character
    }
  }
  return ok(value)
}

/** The static token file. Source: specification, "Methods": token, username, uid, then optional group names. */

import type { StaticToken } from '../../src/server.ts'
import { fail, ok, type Result } from '../../store/contract.ts'

/** `message` names file and line. */
type TokenFileFailure = { readonly code: 'BadTokenFile'; readonly message: string }

/** @param path for messages alone */
export function parseTokenFile(path: string, text: string): Result<readonly StaticToken[], TokenFileFailure> {
  const tokens = new Map<string, StaticToken>()
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue
    const problem = (what: string): { readonly ok: false; readonly failure: TokenFileFailure } =>
      fail({ code: 'BadTokenFile', message: `${path}:${at + 1}: ${what}` })
    const columns = splitCsv(line)
    if (columns === undefined)
      return problem('a quoted column is not closed, or text follows its closing quote')
    const [token = '', name = '', uid = '', ...groupColumns] = columns
    if (columns.length < 3) {
      return problem(`must have at least 3 columns (token, user name, user uid), found ${columns.length}`)
    }
    if (token === '') return problem('the token is empty')
    if (!/^[\x21-\x7e]+$/.test(token))
      return problem('the token holds a character that a header cannot carry')
    if (name === '') return problem('the user name is empty')
    if (tokens.has(token)) return problem('the token stands in an earlier line too')
    const groups = groupColumns.flatMap((column) => column.split(',')).map((group) => group.trim())
    tokens.set(token, { token, user: { name, uid, groups: groups.filter((group) => group !== '') } })
  }
  return ok([...tokens.values()])
}

/** One line's columns (RFC 4180, section 2); undefined = bad quotes. */
function splitCsv(line: string): readonly string[] | undefined {
  const columns: string[] = []
  let rest = line
  for (;;) {
    const match = /^\s*"((?:[^"]|"")*)"\s*(,|$)/.exec(rest) ?? /^([^",]*)(,|$)/.exec(rest)
    if (match === null) return undefined
    const [whole, column = '', separator] = match
    columns.push(column.replaceAll('""', '"').trim())
    if (separator === '') return columns
    rest = rest.slice(whole.length)
  }
}

/** URLs as Go's `net/url` reads them: absolute, or a path from the root. Not the web's rules, which repair a lot. */

import { fail, ok, type Result } from '../../../../store/contract.ts'

export interface GoUrl {
  readonly scheme: string
  /** With its port, brackets of IPv6 kept. */
  readonly host: string
  readonly hostname: string
  /** Without the colon; empty when there is none. */
  readonly port: string
  readonly escapedPath: string
  /** In the order of first appearance; malformed pairs are left out. */
  readonly query: ReadonlyMap<string, readonly string[]>
  /** Everything again, in a normal form: what equality compares. */
  readonly text: string
}

/** What may stand in a host unescaped, beside letters and digits. */
const hostCharacters = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]*$/
const pathCharacters = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/
const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/

/** Reads a URL as Go's `url.ParseRequestURI` does. The failure is its sentence. */
export function parseGoUrl(text: string): Result<GoUrl, string> {
  const refuse = (why: string): Result<GoUrl, string> => fail(`parse ${JSON.stringify(text)}: ${why}`)
  if ([...text].some((character) => character < ' ' || character === '\u007f'))
    return refuse('net/url: invalid control character in URL')
  if (text === '') return refuse('empty url')
  if (text.startsWith(':')) return refuse('missing protocol scheme')
  const [whole = ''] = text.split('#')
  const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(whole)?.[1] ?? ''
  const rest = scheme === '' ? whole : whole.slice(scheme.length + 1)
  const question = rest.indexOf('?')
  const before = question < 0 ? rest : rest.slice(0, question)
  const query = parseQuery(question < 0 ? '' : rest.slice(question + 1))
  if (!before.startsWith('/')) {
    if (scheme === '') return refuse('invalid URI for request')
    const nothing = { host: '', hostname: '', port: '', escapedPath: '' }
    return ok({ scheme: scheme.toLowerCase(), ...nothing, query, text })
  }
  const hasAuthority = scheme !== '' && before.startsWith('//')
  const slash = hasAuthority ? before.indexOf('/', 2) : 0
  const authority = hasAuthority ? before.slice(2, slash < 0 ? before.length : slash) : ''
  const path = slash < 0 ? '' : before.slice(slash)
  const parsed = parseAuthority(authority)
  if (!parsed.ok) return refuse(parsed.failure)
  const bad = badEscape.exec(path)
  if (bad !== null) return refuse(`invalid URL escape ${JSON.stringify(bad[0])}`)
  return ok({ scheme: scheme.toLowerCase(), ...parsed.value, escapedPath: escapePath(path), query, text })
}

type Authority = Pick<GoUrl, 'host' | 'hostname' | 'port'>

function parseAuthority(authority: string): Result<Authority, string> {
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? '' : authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return fail('net/url: invalid userinfo')
  const host = authority.slice(at + 1)
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -1
  if (host.startsWith('[') && bracket < 0) return fail("missing ']' in host")
  const colon = bracket >= 0 ? bracket + 1 : host.lastIndexOf(':')
  const tail = colon < 0 ? '' : host.slice(colon)
  if (!/^(:\d*)?$/.test(tail)) return fail(`invalid port ${JSON.stringify(tail)} after host`)
  const name = colon < 0 ? host : host.slice(0, colon)
  const bad = /%(?!25)(?![89A-Fa-f][0-9A-Fa-f]).{0,2}/.exec(name)
  if (bad !== null) return fail(`invalid URL escape ${JSON.stringify(bad[0])}`)
  const decoded = decodePercent(name, false)
  if (!hostCharacters.test(decoded.replace(/%/g, ''))) {
    const [wrong = ''] = [...decoded].filter((character) => !hostCharacters.test(character))
    return fail(`invalid character ${JSON.stringify(wrong)} in host name`)
  }
  const hostname = bracket >= 0 ? decoded.slice(1, -1) : decoded
  return ok({ host: decoded + tail, hostname, port: tail.slice(1) })
}

/** As it was written, when that is a valid encoding; else encoded again. */
function escapePath(path: string): string {
  if (pathCharacters.test(path)) return path
  const bytes = Buffer.from(decodeBytes(path))
  return bytes
    .toString('latin1')
    .replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (character) => `%${hexByte(character.charCodeAt(0))}`)
}

function hexByte(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0')
}

function decodeBytes(text: string): Uint8Array {
  const latin = Buffer.from(text, 'utf8').toString('latin1')
  return Buffer.from(
    latin.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

function decodePercent(text: string, plusIsSpace: boolean): string {
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? Buffer.from(decodeBytes(spaced)).toString('utf8') : spaced
}

function parseQuery(text: string): ReadonlyMap<string, readonly string[]> {
  const query = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape.test(pair)) continue
    const equals = pair.indexOf('=')
    const key = decodePercent(equals < 0 ? pair : pair.slice(0, equals), true)
    const value = equals < 0 ? '' : decodePercent(pair.slice(equals + 1), true)
    const values = query.get(key)
    if (values === undefined) query.set(key, [value])
    else values.push(value)
  }
  return query
}

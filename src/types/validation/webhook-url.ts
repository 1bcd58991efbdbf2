/**
 * Addresses of webhooks: absolute, over TLS, and nothing but host and path. Each part that is wrong is shown as it
 * stands, so the text is taken apart here and not by a parser that mends it.
 *
 * Source: RFC 3986, appendix B.
 */

import { invalidValue, required } from '../../status/causes.ts'
import { quote } from '../../status/quote.ts'
import type { Causes } from './checks.ts'

const form = '; desired format: https://host[/path]'
const shape = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

export function checkWebhookUrl(causes: Causes, path: string, text: string): void {
  const malformed = malformation(text)
  if (malformed !== undefined) {
    causes.push(required(path, `url must be a valid URL: parse ${quote(text)}: ${malformed}${form}`))
    return
  }
  const [, scheme = '', authority = '', , query = '', fragment = ''] = shape.exec(text) ?? []
  const userEnd = authority.lastIndexOf('@')
  const host = authority.slice(userEnd + 1)
  const wrong = (value: string, detail: string): void => void causes.push(invalidValue(path, value, detail))
  if (scheme.toLowerCase() !== 'https')
    wrong(scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`)
  if (host === '') wrong('', `host must be specified${form}`)
  if (userEnd >= 0) wrong(authority.slice(0, userEnd), 'user information is not permitted in the URL')
  if (fragment !== '') wrong(fragment, 'fragments are not permitted in the URL')
  if (query !== '') wrong(query, 'query parameters are not permitted in the URL')
}

/** Why the text is no URL at all; undefined = it is one. */
function malformation(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL'
  if (text.startsWith(':')) return 'missing protocol scheme'
  const [, scheme, authority = '', rest = ''] = shape.exec(text) ?? []
  if (scheme === undefined && !text.startsWith('/') && (rest.split('/')[0] ?? '').includes(':'))
    return 'first path segment in URL cannot contain colon'
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)$/.exec(host)?.[1]
  if (port !== undefined && !/^:\d*$/.test(port)) return `invalid port ${quote(port)} after host`
  const letter = /[\s"<>\\^`{|}]/.exec(host)?.[0]
  if (letter !== undefined) return `invalid character ${quote(letter)} in host name`
  const escaped = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(`${host}${rest}`)?.[0]
  return escaped === undefined ? undefined : `invalid URL escape ${quote(escaped)}`
}

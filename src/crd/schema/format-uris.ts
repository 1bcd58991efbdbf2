/** Addresses of the web and of mail. Sources: RFC 3986, as it is read for requests; RFC 5322, section 3.4. */

const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/
/** What may stand in a host as it is, in percent encoding (outside of ASCII only), and behind it. */
const host = /^(?:[^\0-\x20\x7f#%/?@\\^`{|}]|%25|%[89a-fA-F][0-9a-fA-F])*$/
const port = /^(?::[0-9]*)?$/
const userinfo = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9a-fA-F]{2})*$/
const badEscape = /%(?![0-9a-fA-F]{2})/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x1f\x7f]/

/** An absolute URI, or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === '' || control.test(text) || text.startsWith(':')) return false
  if (text === '*') return true
  const prefix = scheme.exec(text)?.[0] ?? ''
  const [rest = ''] = text.slice(prefix.length).split('?', 1)
  if (!rest.startsWith('/')) return prefix !== ''
  if (prefix === '' || !rest.startsWith('//')) return !badEscape.test(rest)
  const slash = rest.indexOf('/', 2)
  const authority = rest.slice(2, slash < 0 ? rest.length : slash)
  return isAuthority(authority) && (slash < 0 || !badEscape.test(rest.slice(slash)))
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at >= 0 && !userinfo.test(text.slice(0, at))) return false
  const place = text.slice(at + 1)
  if (place.startsWith('[')) {
    const end = place.lastIndexOf(']')
    return end > 0 && port.test(place.slice(end + 1)) && host.test(place.slice(0, end + 1))
  }
  const colon = place.lastIndexOf(':')
  return host.test(place) && (colon < 0 || port.test(place.slice(colon)))
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+"
const quoted = '"(?:[^"\\\\\\r\\n\\0-\\x08\\x0b-\\x1f\\x7f]|\\\\[\\x20-\\x7e\\t\\u{80}-\\u{10ffff}])*"'
const dotted = `${atom}(?:\\.${atom})*`
const spec = `(?:${dotted}|${quoted})@[ \\t]*${dotted}`
const word = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.\\u{80}-\\u{10ffff}-]+|${quoted})`
const mailbox = new RegExp(
  `^[ \\t]*(?:${spec}|(?:${word}(?:[ \\t]+${word})*[ \\t]*)?<${spec}>)[ \\t]*(?:\\([^()\\\\]*\\)[ \\t]*)?$`,
  'u',
)
/** Longer texts are no address: nobody could write to one. */
const mailboxLengthMax = 4096

/** One address, with or without the name of whom it is: `Jane <jane@example.com>`. */
export function isEmail(text: string): boolean {
  return text.length <= mailboxLengthMax && mailbox.test(text)
}

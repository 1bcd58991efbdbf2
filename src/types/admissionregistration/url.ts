/** Addresses of webhooks: absolute, over TLS, and nothing but host and path. */

const form = 'desired format: https://host[/path]'

/** Everything that is wrong; none = the address can be called. */
export function urlProblems(text: string): readonly string[] {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return [`url must be a valid URL; ${form}`]
  }
  const problems: string[] = []
  if (url.protocol !== 'https:') problems.push(`'https' is the only allowed URL scheme; ${form}`)
  if (url.hostname === '') problems.push(`host must be specified; ${form}`)
  if (url.username !== '' || url.password !== '')
    problems.push('user information is not permitted in the URL')
  if (url.hash !== '' || text.includes('#')) problems.push('fragments are not permitted in the URL')
  if (url.search !== '' || text.includes('?')) problems.push('query parameters are not permitted in the URL')
  return problems
}

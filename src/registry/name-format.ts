/** What names may look like. Each check returns what is wrong, in words; empty = valid. Sources: RFC 1123; RFC 3986. */

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const labelBytesMax = 63
const subdomainBytesMax = 253

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

type NameFormat = 'subdomain' | 'label' | 'pathSegment'

/** What is wrong with a name, a sentence each; none = it is right. */
export function nameProblems(name: string, format: NameFormat): readonly string[] {
  switch (format) {
    case 'label':
      return patternProblems(name, label, labelText, labelBytesMax)
    case 'subdomain':
      return patternProblems(name, subdomain, subdomainText, subdomainBytesMax)
    case 'pathSegment':
      return pathSegmentProblems(name)
  }
}

/** The start of a generated name: it may end where a whole name may not. */
export function namePrefixProblems(prefix: string, format: NameFormat): readonly string[] {
  const masked = format === 'pathSegment' ? prefix : prefix.replace(/-$/, 'a')
  return nameProblems(masked, format)
}

function patternProblems(name: string, pattern: RegExp, text: string, bytesMax: number): readonly string[] {
  const problems: string[] = []
  if (name.length > bytesMax) problems.push(`must be no more than ${bytesMax} characters`)
  if (!pattern.test(name)) problems.push(text)
  return problems
}

function pathSegmentProblems(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  const problems: string[] = []
  if (name.includes('/')) problems.push("may not contain '/'")
  if (name.includes('%')) problems.push("may not contain '%'")
  return problems
}

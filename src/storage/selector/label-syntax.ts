/** What label keys and values may be. Source: Kubernetes API conventions; RFC 1123 names. */

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const namePatternText = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const valuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const valuePatternText = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const subdomainPatternText = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'

/** What nearly all keys and values are: a name of one part, not too long. */
const usualPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const none: readonly string[] = []

const labelBytesMax = 63
const subdomainBytesMax = 253

/** Everything that is wrong with a key such as `app` or `example.com/app`; empty = valid. */
export function labelKeyProblems(key: string): readonly string[] {
  if (usualPattern.test(key)) return none
  const parts = key.split('/')
  if (parts.length > 2) return [qualifiedNameForm]
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  const problems: string[] = []
  if (prefix !== undefined) problems.push(...prefixProblems(prefix))
  if (name === '') problems.push('name part must be non-empty')
  else if (Buffer.byteLength(name) > labelBytesMax) problems.push(`name part ${atMost(labelBytesMax)}`)
  if (!namePattern.test(name)) {
    problems.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePatternText}')`,
    )
  }
  return problems
}

const qualifiedNameForm = `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePatternText}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const problems: string[] = []
  if (prefix.length > subdomainBytesMax) problems.push(`prefix part ${atMost(subdomainBytesMax)}`)
  if (!subdomainPattern.test(prefix)) {
    problems.push(
      `prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPatternText}')`,
    )
  }
  return problems
}

/** Everything that is wrong with a label value; empty = valid. */
export function labelValueProblems(value: string): readonly string[] {
  if (value === '' || usualPattern.test(value)) return none
  const problems: string[] = []
  if (Buffer.byteLength(value) > labelBytesMax) problems.push(atMost(labelBytesMax))
  if (!valuePattern.test(value)) {
    problems.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${valuePatternText}')`,
    )
  }
  return problems
}

const atMost = (bytes: number): string => `must be no more than ${bytes} characters`

/**
 * What names may be, each as a function from the name to what is wrong with it; undefined = valid. The patterns are
 * compiled once. Sources: RFC 1123, RFC 1035; Kubernetes API conventions, "Names and identifiers".
 */

import { nameProblems } from '../../registry/name-format.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { labelKeyProblems, labelValueProblems } from '../../storage/selector/label-syntax.ts'

/** Everything that is wrong with a value, each thing in words; empty = valid. */
export type Problems = readonly string[]

export type NameCheck = (name: string) => Problems

const none: Problems = []

export const labelNameProblems: NameCheck = (name) => nameProblems(name, 'label')
export const subdomainProblems: NameCheck = (name) => nameProblems(name, 'subdomain')
export const pathSegmentProblems: NameCheck = (name) => nameProblems(name, 'pathSegment')
/** `app`, `example.com/app`. */
export const qualifiedNameProblems: NameCheck = labelKeyProblems
export { labelValueProblems }

/** A name that must match one pattern and may not be too long. */
function patterned(pattern: RegExp, text: string, lengthMax: number): NameCheck {
  return (name) => {
    const matches = pattern.test(name)
    if (name.length <= lengthMax) return matches ? none : [text]
    const tooLong = `must be no more than ${lengthMax} characters`
    return matches ? [tooLong] : [tooLong, text]
  }
}

const unlimited = Number.POSITIVE_INFINITY

export const hostLabelProblems = patterned(
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  63,
)

export const wildcardProblems = patterned(
  /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  253,
)

const environmentName = patterned(
  /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
  unlimited,
)

export const headerNameProblems = patterned(
  /^[-A-Za-z0-9]+$/,
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  unlimited,
)

const keyOfData = patterned(
  /^[-._a-zA-Z0-9]+$/,
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  253,
)

/** A name that becomes a file name may not lead elsewhere. */
function stepProblems(name: string): Problems {
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  return name.startsWith('..') ? ["must not start with '..'"] : none
}

/** A key of a config map or a secret, which becomes a file name. */
export const dataKeyProblems: NameCheck = (key) => [...keyOfData(key), ...stepProblems(key)]

export const environmentNameProblems: NameCheck = (name) => [...environmentName(name), ...stepProblems(name)]

const portNameShape = /^(?!-)(?!.*--)(?=.*[a-z])[-a-z0-9]{1,15}(?<!-)$/

/** The name of a port of a container: an IANA service name (RFC 6335). */
export const portNameProblems: NameCheck = (name) => {
  if (portNameShape.test(name)) return none
  const problems: string[] = []
  if (name.length > 15) problems.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)')
  if (name.includes('--')) problems.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

const pathText = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const httpPath = new RegExp(`^${pathText}$`)

/** `example.com/path`: what is made for a domain by a party. Which part is wrong is said with the part. */
export function checkDomainPrefixedPath(causes: Cause[], path: string, name: string): void {
  const slash = name.indexOf('/')
  const [host, rest] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
  if (host === '' || rest === '') {
    causes.push(invalidValue(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    return
  }
  for (const problem of subdomainProblems(host)) causes.push(invalidValue(path, host, problem))
  if (!httpPath.test(rest))
    causes.push(invalidValue(path, rest, `Invalid path (regex used for validation is '${pathText}')`))
}

function domainProblems(name: string, labelsMin: number, separator: string): Problems {
  const problems = subdomainProblems(name)
  if (problems.length > 0) return [problems.join(separator)]
  if (name.split('.').length >= labelsMin) return none
  return [`should be a domain with at least ${labelsMin === 3 ? 'three' : 'two'} segments separated by dots`]
}

/** A domain of at least three labels, as webhooks are called. */
export const fullyQualifiedProblems: NameCheck = (name) => domainProblems(name, 3, ',')

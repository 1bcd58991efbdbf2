/**
 * What names may be, each as a function from the name to what is wrong with it; undefined = valid. The patterns are
 * compiled once. Sources: RFC 1123, RFC 1035; Kubernetes API conventions, "Names and identifiers".
 */

import { nameProblems } from '../../registry/name-format.ts'
import { labelKeyProblems, labelValueProblems } from '../../storage/selector/label-syntax.ts'

/** What is wrong with a value, in words. */
export type Problem = string | undefined

export type NameCheck = (name: string) => Problem

function joined(problems: readonly string[]): Problem {
  return problems.length === 0 ? undefined : problems.join('; ')
}

export const labelProblem: NameCheck = (name) => joined(nameProblems(name, 'label'))
export const subdomainProblem: NameCheck = (name) => joined(nameProblems(name, 'subdomain'))
export const pathSegmentProblem: NameCheck = (name) => joined(nameProblems(name, 'pathSegment'))
/** `app`, `example.com/app`. */
export const qualifiedNameProblem: NameCheck = (name) => joined(labelKeyProblems(name))
export const labelValueProblem: NameCheck = (value) => joined(labelValueProblems(value))

/** A name that must match one pattern and may not be too long. */
function patterned(pattern: RegExp, text: string, lengthMax: number): NameCheck {
  return (name) => {
    if (name.length > lengthMax) return `must be no more than ${lengthMax} characters`
    return pattern.test(name) ? undefined : text
  }
}

const unlimited = Number.POSITIVE_INFINITY

export const hostLabelProblem = patterned(
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  63,
)

export const wildcardProblem = patterned(
  /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  253,
)

export const environmentNameProblem = patterned(
  /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
  unlimited,
)

export const headerNameProblem = patterned(
  /^[-A-Za-z0-9]+$/,
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  unlimited,
)

const keyOfData = patterned(
  /^[-._a-zA-Z0-9]+$/,
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  253,
)

/** A key of a config map or a secret, which becomes a file name. */
export const dataKeyProblem: NameCheck = (key) => {
  const problem = keyOfData(key)
  if (problem !== undefined || !key.startsWith('.')) return problem
  if (key === '.' || key === '..') return `must not be '${key}'`
  return key.startsWith('..') ? "must not start with '..'" : undefined
}

const portNameShape = /^(?!-)(?!.*--)(?=.*[a-z])[-a-z0-9]{1,15}(?<!-)$/

/** The name of a port of a container: an IANA service name (RFC 6335). */
export const portNameProblem: NameCheck = (name) => {
  if (portNameShape.test(name)) return undefined
  if (name.length > 15) return 'must be no more than 15 characters'
  if (!/^[-a-z0-9]+$/.test(name))
    return 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'
  if (!/[a-z]/.test(name)) return 'must contain at least one letter (a-z)'
  if (name.includes('--')) return 'must not contain consecutive hyphens'
  return 'must not begin or end with a hyphen'
}

const httpPath = /^\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

/** `example.com/path`: what is made for a domain by a party. */
export const domainPrefixedPathProblem: NameCheck = (name) => {
  const slash = name.indexOf('/')
  if (slash <= 0 || slash === name.length - 1) {
    return 'must be a domain-prefixed path (such as "acme.io/foo")'
  }
  const problem = subdomainProblem(name.slice(0, slash))
  if (problem !== undefined) return problem
  return httpPath.test(name.slice(slash)) ? undefined : 'must be a valid HTTP path after the domain'
}

const domainName = (name: string, labelsMin: number): Problem => {
  const problem = subdomainProblem(name)
  if (problem !== undefined) return problem
  return name.split('.').length < labelsMin
    ? `should be a domain with at least ${labelsMin === 3 ? 'three segments separated by dots' : 'two segments separated by dots'}`
    : undefined
}

/** A domain of at least three labels, as webhooks are called. */
export const fullyQualifiedProblem: NameCheck = (name) => domainName(name, 3)
/** A domain of at least two labels. */
export const qualifiedDomainProblem: NameCheck = (name) => domainName(name, 2)

/**
 * The policy file of `--authorization-policy-file`: one JSON object in each line. Empty lines and lines that begin with
 * `#` count for nothing. Source: specification, "Authorization" 9.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'

/** '' = says nothing about it; `*` = any. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly namespace: string
  readonly resource: string
  readonly nonResourcePath: string
}

const fields: ReadonlySet<string> = new Set([
  'user',
  'group',
  'readonly',
  'apiGroup',
  'namespace',
  'resource',
  'nonResourcePath',
])

/** Fails with the number of the line and what is wrong with it: `3: is not JSON`. */
export function parseAbacPolicies(text: string, names: Names): Result<readonly AbacPolicy[], string> {
  const apiVersion = names.expand('abac.authorization.{labels}/v1beta1')
  const policies: AbacPolicy[] = []
  for (const [at, whole] of text.split('\n').entries()) {
    const line = whole.trim()
    if (line === '' || line.startsWith('#')) continue
    const policy = parseLine(line, apiVersion)
    if (!policy.ok) return fail(`${at + 1}: ${policy.failure}`)
    policies.push(policy.value)
  }
  return ok(policies)
}

function parseLine(line: string, apiVersion: string): Result<AbacPolicy, string> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return fail('is not JSON')
  }
  if (!isJsonObject(value)) return fail('is not a JSON object')
  if (value['apiVersion'] !== apiVersion)
    return fail(
      `apiVersion is ${JSON.stringify(value['apiVersion'])}, expected ${JSON.stringify(apiVersion)}`,
    )
  if (value['kind'] !== 'Policy') return fail(`kind is ${JSON.stringify(value['kind'])}, expected "Policy"`)
  const spec = value['spec']
  if (!isJsonObject(spec)) return fail('has no spec')
  return parseSpec(spec)
}

function parseSpec(spec: JsonObject): Result<AbacPolicy, string> {
  const unknown = Object.keys(spec).find((field) => !fields.has(field))
  if (unknown !== undefined) return fail(`spec has an unknown field ${JSON.stringify(unknown)}`)
  const { readonly = false, ...rest } = spec
  if (typeof readonly !== 'boolean') return fail('spec.readonly is not a boolean')
  const texts = new Map<string, string>()
  for (const [field, value] of Object.entries(rest)) {
    if (typeof value !== 'string') return fail(`spec.${field} is not a string`)
    texts.set(field, value)
  }
  const text = (field: string) => texts.get(field) ?? ''
  return ok({
    user: text('user'),
    group: text('group'),
    readonly,
    apiGroup: text('apiGroup'),
    namespace: text('namespace'),
    resource: text('resource'),
    nonResourcePath: text('nonResourcePath'),
  })
}

/**
 * From the claims of a token that is believed to a user, or to the reason why there is none.
 *
 * Source: specification, "Authentication configuration file", "OpenID Connect flags".
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { CelOutput, Program } from '../../cel/expression.ts'
import { perCallCostMax } from '../../cel/limits.ts'
import type { JsonObject } from '../../json.ts'
import type { User } from '../../pipeline/user.ts'
import type { ClaimMapping, JwtSettings, ValidationRule } from './settings.ts'
import { textsOf } from './token.ts'

type Mapped<T> = Result<T, string>

/** Groups are as the token has them: `system:authenticated` is the caller's to add. */
export function userOf(claims: JsonObject, settings: JwtSettings): Mapped<User> {
  const name = usernameOf(claims, settings.username)
  if (!name.ok) return name
  const groups = groupsOf(claims, settings.groups)
  if (!groups.ok) return groups
  const uid = uidOf(claims, settings.uid)
  if (!uid.ok) return uid
  const extra = extraOf(claims, settings.extra)
  if (!extra.ok) return extra
  const missing = missingClaim(claims, settings.requiredClaims)
  if (missing !== undefined) return fail(missing)
  const user: User = { name: name.value, uid: uid.value, groups: groups.value, extra: extra.value }
  const broken =
    brokenRule(settings.claimRules, { claims }, 'claim') ??
    brokenRule(settings.userRules, { user: userInfo(user) }, 'user')
  return broken === undefined ? ok(user) : fail(broken)
}

/** Names of this form are the server's own to give. */
const reservedPrefix = 'system:'

function usernameOf(claims: JsonObject, mapping: ClaimMapping): Mapped<string> {
  if (mapping.type === 'expression') {
    const value = evaluate(mapping.program, claims, 'username')
    if (!value.ok) return value
    if (typeof value.value !== 'string')
      return fail(
        'error evaluating username claim expression: username claim expression must return a string',
      )
    return value.value === '' ? fail('username claim expression returned an empty username') : ok(value.value)
  }
  const { claim, prefix } = mapping
  const value = claims[claim]
  if (typeof value !== 'string') return fail(`parse username claims ${JSON.stringify(claim)}: no text`)
  if (value === '') return fail(`username claim ${JSON.stringify(claim)} is empty`)
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true)
    return fail('email not verified')
  const name = prefix + value
  // A provider must not be able to make up the server's own users by what it writes into a claim.
  return prefix === '' && name.startsWith(reservedPrefix)
    ? fail(`username claim ${JSON.stringify(claim)} holds a name that is reserved for the system`)
    : ok(name)
}

function groupsOf(claims: JsonObject, mapping: ClaimMapping | undefined): Mapped<readonly string[]> {
  if (mapping === undefined) return ok([])
  if (mapping.type === 'expression') return textsFrom(mapping.program, claims, 'group')
  const { claim, prefix } = mapping
  const value = claims[claim]
  if (value === undefined || value === null) return ok([])
  const groups = textsOf(value)
  if (groups.length === 0 && !(Array.isArray(value) && value.length === 0))
    return fail(`parse groups claim ${JSON.stringify(claim)}: neither a text nor a list of texts`)
  // As for names: `system:masters` is nothing that a claim can hold. The other groups count.
  const own = prefix === '' ? groups.filter((group) => !group.startsWith(reservedPrefix)) : groups
  return ok(own.map((group) => prefix + group))
}

function uidOf(claims: JsonObject, mapping: ClaimMapping | undefined): Mapped<string> {
  if (mapping === undefined) return ok('')
  const value =
    mapping.type === 'claim' ? ok(claims[mapping.claim]) : evaluate(mapping.program, claims, 'uid')
  if (!value.ok) return value
  return typeof value.value === 'string' ? ok(value.value) : fail('uid claim or expression is no text')
}

function extraOf(claims: JsonObject, mappings: JwtSettings['extra']): Mapped<User['extra']> {
  const extra = new Map<string, readonly string[]>()
  for (const { key, program } of mappings) {
    const values = textsFrom(program, claims, 'extra')
    if (!values.ok) return values
    if (values.value.length > 0) extra.set(key, values.value)
  }
  return ok(extra)
}

/** A text, a list of texts or null; empty texts count for nothing. */
function textsFrom(program: Program, claims: JsonObject, what: string): Mapped<readonly string[]> {
  const value = evaluate(program, claims, what)
  if (!value.ok) return value
  if (value.value === null || value.value === '') return ok([])
  if (typeof value.value === 'string') return ok([value.value])
  if (Array.isArray(value.value) && value.value.every((one) => typeof one === 'string'))
    return ok(value.value.filter((one) => one !== ''))
  return fail(
    `error evaluating ${what} claim expression: expression must return a string or a list of strings`,
  )
}

function evaluate(program: Program, claims: JsonObject, what: string): Mapped<CelOutput> {
  const result = program.evaluate({ claims }, { costMax: perCallCostMax })
  return result.ok
    ? result
    : fail(`error evaluating ${what} claim expression: ${program.source}: ${result.failure.message}`)
}

function missingClaim(claims: JsonObject, wanted: JwtSettings['requiredClaims']): string | undefined {
  for (const { claim, value } of wanted) {
    if (!Object.hasOwn(claims, claim)) return `required claim ${claim} not present in ID token`
    if (typeof claims[claim] !== 'string') return `parse claim ${claim}: no text`
    if (claims[claim] !== value) return `required claim ${claim} value does not match`
  }
  return undefined
}

function brokenRule(
  rules: readonly ValidationRule[],
  variables: Readonly<Record<string, unknown>>,
  what: string,
): string | undefined {
  for (const { program, message } of rules) {
    const result = program.evaluate(variables, { costMax: perCallCostMax })
    if (!result.ok)
      return `error evaluating ${what} validation expression: ${program.source}: ${result.failure.message}`
    if (result.value !== true)
      return `error evaluating ${what} validation expression: validation expression '${program.source}' failed: ${message}`
  }
  return undefined
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return { username: name, uid, groups, extra: Object.fromEntries(extra) }
}

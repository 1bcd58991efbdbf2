/**
 * Checks of `jwt[].claimValidationRules`, `.claimMappings` and `.userValidationRules`; expressions are compiled here.
 *
 * Source: specification, "Authentication configuration file".
 */

import type { ClaimMapping, JwtSettings, ValidationRule } from '../authn/oidc/settings.ts'
import { claimsEnvironment, userEnvironment } from '../authn/oidc/settings.ts'
import { cel, type Program } from '../cel/expression.ts'
import type { JsonObject } from '../json.ts'
import { duplicate, invalidValue, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { compileRule } from '../types/validation/expression.ts'
import { objectIn, objectsIn, textIn } from './config-file.ts'

type Claims = Omit<
  JwtSettings,
  'issuer' | 'discoveryUrl' | 'certificateAuthority' | 'audiences' | 'algorithms'
>

/** Adds what is wrong to `causes`; the result counts only where nothing is. */
export function checkClaims(jwt: JsonObject, path: string, causes: Cause[]): Claims {
  const rules = checkClaimRules(
    objectsIn(jwt, 'claimValidationRules'),
    `${path}.claimValidationRules`,
    causes,
  )
  const mappings = objectIn(jwt, 'claimMappings')
  const field = `${path}.claimMappings`
  const username = checkMapping(mappings, 'username', field, causes)
  if (username === undefined && isEmpty(objectIn(mappings, 'username')))
    causes.push(required(`${field}.username`, 'claim or expression is required'))
  const claims: Claims = {
    ...rules,
    username: username ?? { type: 'claim', claim: '', prefix: '' },
    groups: checkMapping(mappings, 'groups', field, causes),
    uid: checkUid(objectIn(mappings, 'uid'), `${field}.uid`, causes),
    extra: checkExtra(objectsIn(mappings, 'extra'), `${field}.extra`, causes),
    userRules: checkUserRules(objectsIn(jwt, 'userValidationRules'), `${path}.userValidationRules`, causes),
  }
  causes.push(...emailCauses(claims, field))
  return claims
}

function isEmpty(mapping: JsonObject): boolean {
  return textIn(mapping, 'claim') === '' && textIn(mapping, 'expression') === ''
}

function checkClaimRules(
  rules: readonly JsonObject[],
  path: string,
  causes: Cause[],
): Pick<Claims, 'requiredClaims' | 'claimRules'> {
  const requiredClaims: { claim: string; value: string }[] = []
  const claimRules: ValidationRule[] = []
  const expressions = new Set<string>()
  for (const [at, rule] of rules.entries()) {
    const field = `${path}[${at}]`
    const [claim, value] = [textIn(rule, 'claim'), textIn(rule, 'requiredValue')]
    const [expression, message] = [textIn(rule, 'expression'), textIn(rule, 'message')]
    if (claim !== '' && expression !== '')
      causes.push(invalidValue(field, claim, "claim and expression can't both be set"))
    else if (claim !== '') {
      if (message !== '')
        causes.push(invalidValue(`${field}.message`, message, "message can't be set when claim is set"))
      if (requiredClaims.some((one) => one.claim === claim)) causes.push(duplicate(`${field}.claim`, claim))
      requiredClaims.push({ claim, value })
    } else if (expression === '') causes.push(required(field, 'claim or expression is required'))
    else {
      if (value !== '')
        causes.push(
          invalidValue(`${field}.requiredValue`, value, "requiredValue can't be set when expression is set"),
        )
      if (expressions.has(expression)) causes.push(duplicate(`${field}.expression`, expression))
      else {
        const program = compileRule(expression, claimsEnvironment, cel.bool, `${field}.expression`, causes)
        if (program !== undefined) claimRules.push({ program, message })
      }
      expressions.add(expression)
    }
  }
  return { requiredClaims, claimRules }
}

/** Undefined = there is none, or it is wrong. */
function checkMapping(
  mappings: JsonObject,
  name: string,
  path: string,
  causes: Cause[],
): ClaimMapping | undefined {
  const mapping = objectIn(mappings, name)
  const field = `${path}.${name}`
  const [claim, expression, prefix] = [
    textIn(mapping, 'claim'),
    textIn(mapping, 'expression'),
    mapping['prefix'],
  ]
  if (claim !== '' && expression !== '') {
    causes.push(invalidValue(field, '', "claim and expression can't both be set"))
    return undefined
  }
  if (expression !== '') {
    if (typeof prefix === 'string')
      causes.push(invalidValue(`${field}.prefix`, prefix, "prefix can't be set when expression is set"))
    return expressionMapping(expression, field, causes)
  }
  if (claim === '') return undefined
  if (typeof prefix === 'string') return { type: 'claim', claim, prefix }
  causes.push(
    required(
      `${field}.prefix`,
      'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
    ),
  )
  return { type: 'claim', claim, prefix: '' }
}

function expressionMapping(expression: string, field: string, causes: Cause[]): ClaimMapping | undefined {
  const program = compileRule(expression, claimsEnvironment, cel.dyn, `${field}.expression`, causes)
  return program === undefined ? undefined : { type: 'expression', program }
}

function checkUid(mapping: JsonObject, field: string, causes: Cause[]): ClaimMapping | undefined {
  const [claim, expression] = [textIn(mapping, 'claim'), textIn(mapping, 'expression')]
  if (claim !== '' && expression !== '') {
    causes.push(invalidValue(field, '', "claim and expression can't both be set"))
    return undefined
  }
  if (expression !== '') return expressionMapping(expression, field, causes)
  return claim === '' ? undefined : { type: 'claim', claim, prefix: '' }
}

function checkExtra(mappings: readonly JsonObject[], path: string, causes: Cause[]): Claims['extra'] {
  const extra: { key: string; program: Program }[] = []
  const keys = new Set<string>()
  for (const [at, mapping] of mappings.entries()) {
    const field = `${path}[${at}]`
    const [key, expression] = [textIn(mapping, 'key'), textIn(mapping, 'valueExpression')]
    causes.push(...keyCauses(key, `${field}.key`))
    if (keys.has(key)) {
      causes.push(duplicate(`${field}.key`, key))
      continue
    }
    keys.add(key)
    if (expression === '') {
      causes.push(required(`${field}.valueExpression`, 'valueExpression is required'))
      continue
    }
    const program = compileRule(expression, claimsEnvironment, cel.dyn, `${field}.valueExpression`, causes)
    if (program !== undefined) extra.push({ key, program })
  }
  return extra
}

const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const domainLengthMax = 253
/** The characters of RFC 3986's `pchar`, and slashes. */
const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

/** A domain, a slash, a path: what others cannot have meant by the same key. */
function keyCauses(key: string, field: string): readonly Cause[] {
  if (key === '') return [required(field, '')]
  const slash = key.indexOf('/')
  const [host, path] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)]
  if (host === '' || path === '')
    return [invalidValue(field, key, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const causes: Cause[] = []
  if (key !== key.toLowerCase()) causes.push(invalidValue(field, key, 'key must be lowercase'))
  else if (!domain.test(host) || host.length > domainLengthMax)
    causes.push(
      invalidValue(
        field,
        host,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ),
    )
  if (!pathCharacters.test(path)) causes.push(invalidValue(field, path, 'Invalid path'))
  return causes
}

function checkUserRules(
  rules: readonly JsonObject[],
  path: string,
  causes: Cause[],
): readonly ValidationRule[] {
  const checked: ValidationRule[] = []
  const expressions = new Set<string>()
  for (const [at, rule] of rules.entries()) {
    const field = `${path}[${at}].expression`
    const expression = textIn(rule, 'expression')
    if (expression === '') causes.push(required(field, 'expression is required'))
    else if (expressions.has(expression)) causes.push(duplicate(field, expression))
    else {
      const program = compileRule(expression, userEnvironment, cel.bool, field, causes)
      if (program !== undefined) checked.push({ program, message: textIn(rule, 'message') })
    }
    expressions.add(expression)
  }
  return checked
}

/** Who uses an address that the provider has not verified lets anybody take anybody's name. */
function emailCauses({ username, extra, claimRules }: Claims, path: string): readonly Cause[] {
  if (username.type !== 'expression' || !username.program.reads('claims', 'email')) return []
  const programs = [username, ...extra, ...claimRules].map(({ program }) => program)
  if (programs.some((program) => program.reads('claims', 'email_verified'))) return []
  return [
    invalidValue(
      `${path}.username.expression`,
      username.program.source,
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
    ),
  ]
}

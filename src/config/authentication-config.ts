/**
 * The file of `--authentication-config`: issuers of JSON Web Tokens.
 *
 * Source: specification, "Authentication configuration file".
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { signingAlgorithms } from '../authn/oidc/algorithms.ts'
import type { JwtSettings } from '../authn/oidc/settings.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { duplicate } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { checkClaims } from './authentication-claims.ts'
import { checkIssuer } from './authentication-issuer.ts'
import { type ConfigKind, objectIn, objectsIn, parseConfigFile, textIn } from './config-file.ts'
import type { Shape } from './strict-shape.ts'

const claimOrExpression = { claim: 'string', prefix: 'string', expression: 'string' } as const

const authenticator: Shape = {
  fields: {
    issuer: {
      fields: {
        url: 'string',
        discoveryURL: 'string',
        certificateAuthority: 'string',
        audiences: { list: 'string' },
        audienceMatchPolicy: 'string',
      },
    },
    claimValidationRules: {
      list: { fields: { claim: 'string', requiredValue: 'string', expression: 'string', message: 'string' } },
    },
    claimMappings: {
      fields: {
        username: { fields: claimOrExpression },
        groups: { fields: claimOrExpression },
        uid: { fields: { claim: 'string', expression: 'string' } },
        extra: { list: { fields: { key: 'string', valueExpression: 'string' } } },
      },
    },
    userValidationRules: { list: { fields: { expression: 'string', message: 'string' } } },
  },
}

const configKind: ConfigKind = {
  kind: 'AuthenticationConfiguration',
  versions: ['v1beta1', 'v1alpha1'],
  fields: { jwt: { list: authenticator } },
}

const authenticatorsMax = 64

export interface AuthenticationConfigContext {
  readonly names: Names
  /** Issuers that no authenticator may name: that of service account tokens. */
  readonly disallowedIssuers: readonly string[]
}

/** Fails with all problems, each with the path of its field. */
export function parseAuthenticationConfig(
  text: string,
  { names, disallowedIssuers }: AuthenticationConfigContext,
): Result<readonly JwtSettings[], string> {
  const parsed = parseConfigFile(text, configKind, names)
  if (!parsed.ok) return parsed
  const authenticators = objectsIn(parsed.value, 'jwt')
  if (authenticators.length > authenticatorsMax)
    return fail(`jwt: Too many: ${authenticators.length}: must have at most ${authenticatorsMax} items`)
  const causes: Cause[] = []
  const settings: JwtSettings[] = []
  for (const [at, jwt] of authenticators.entries()) {
    const path = `jwt[${at}]`
    const issuer = checkIssuer(objectIn(jwt, 'issuer'), `${path}.issuer`, disallowedIssuers, causes)
    const claims = checkClaims(jwt, path, causes)
    settings.push({ ...issuer, algorithms: signingAlgorithms, ...claims })
  }
  causes.push(...repeated(authenticators, 'url'), ...repeated(authenticators, 'discoveryURL'))
  return causes.length === 0 ? ok(settings) : fail(causes.map(describeCause).join('; '))
}

export function describeCause({ field = '', message }: Cause): string {
  return field === '' ? message : `${field}: ${message}`
}

function repeated(authenticators: readonly JsonObject[], field: string): readonly Cause[] {
  const seen = new Set<string>()
  return authenticators.flatMap((jwt, at) => {
    const url = textIn(objectIn(jwt, 'issuer'), field)
    if (url === '' || !seen.has(url)) {
      seen.add(url)
      return []
    }
    return [duplicate(`jwt[${at}].issuer.${field}`, url)]
  })
}

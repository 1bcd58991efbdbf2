/** Checks of `jwt[].issuer`, and of the like that flags give. Source: specification, "Authentication configuration file". */

import type { JwtSettings } from '../authn/oidc/settings.ts'
import type { JsonObject } from '../json.ts'
import { certificatesProblem } from '../outside/certificates.ts'
import { duplicate, invalidValue, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { textIn, textsIn } from './config-file.ts'

type Issuer = Pick<JwtSettings, 'issuer' | 'discoveryUrl' | 'certificateAuthority' | 'audiences'>

/** Adds what is wrong to `causes`; the result counts only where nothing is. */
export function checkIssuer(
  issuer: JsonObject,
  path: string,
  disallowed: readonly string[],
  causes: Cause[],
): Issuer {
  const [url, discoveryUrl] = [textIn(issuer, 'url'), textIn(issuer, 'discoveryURL')]
  const authority = textIn(issuer, 'certificateAuthority')
  const audiences = textsIn(issuer, 'audiences')
  if (url === '') causes.push(required(`${path}.url`, 'URL is required'))
  else causes.push(...urlCauses(url, `${path}.url`, disallowed))
  if (discoveryUrl !== '') {
    const field = `${path}.discoveryURL`
    if (url !== '' && trimmed(url) === trimmed(discoveryUrl))
      causes.push(invalidValue(field, discoveryUrl, 'discoveryURL must be different from URL'))
    causes.push(...urlCauses(discoveryUrl, field, []))
  }
  causes.push(...audienceCauses(audiences, textIn(issuer, 'audienceMatchPolicy'), path))
  const problem = authority === '' ? undefined : certificatesProblem(authority)
  if (problem !== undefined) causes.push(invalidValue(`${path}.certificateAuthority`, '<omitted>', problem))
  return {
    issuer: url,
    discoveryUrl: discoveryUrl === '' ? undefined : discoveryUrl,
    certificateAuthority: authority === '' ? undefined : authority,
    audiences,
  }
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '')
}

export function urlCauses(text: string, field: string, disallowed: readonly string[]): readonly Cause[] {
  const causes: Cause[] = []
  const wrong = (detail: string): void => void causes.push(invalidValue(field, text, detail))
  if (disallowed.includes(text))
    wrong(`URL must not overlap with disallowed issuers: [${disallowed.join(' ')}]`)
  let url: URL
  try {
    url = new URL(text)
  } catch {
    wrong('is not a valid URL')
    return causes
  }
  if (url.protocol !== 'https:') wrong('URL scheme must be https')
  if (url.username !== '' || url.password !== '') wrong('URL must not contain a username or password')
  if (text.includes('?')) wrong('URL must not contain a query')
  if (text.includes('#')) wrong('URL must not contain a fragment')
  return causes
}

function audienceCauses(audiences: readonly string[], policy: string, path: string): readonly Cause[] {
  const field = `${path}.audiences`
  if (audiences.length === 0) return [required(field, `at least one ${field} is required`)]
  const causes: Cause[] = []
  if (audiences.length > 1 && policy !== 'MatchAny')
    causes.push(
      invalidValue(
        `${path}.audienceMatchPolicy`,
        policy,
        'audienceMatchPolicy must be set to MatchAny for multiple audiences',
      ),
    )
  if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny')
    causes.push(
      invalidValue(
        `${path}.audienceMatchPolicy`,
        policy,
        'audienceMatchPolicy must be empty or MatchAny for single audience',
      ),
    )
  for (const [at, audience] of audiences.entries()) {
    if (audience === '') causes.push(required(`${field}[${at}]`, "audience can't be empty"))
    if (audiences.indexOf(audience) < at) causes.push(duplicate(`${field}[${at}]`, audience))
  }
  return causes
}

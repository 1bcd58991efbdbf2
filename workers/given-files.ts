/** The operator's files, each named by a flag, read and checked for what they should hold. */

import { type AbacPolicy, parseAbacPolicies } from '../src/authz/abac/policy.ts'
import type { Names } from '../src/names/names.ts'
import { certificatesProblem } from '../src/outside/certificates.ts'
import type { StaticToken } from '../src/server.ts'
import { ok, type Result } from '../store/contract.ts'
import { parseTokenFile } from './flags/token-file.ts'
import { checkPair } from './pki/inspect.ts'
import type { KeyPair } from './pki/issue.ts'
import { readFlagFile } from './read-flag-file.ts'
import { cannotStart, type StartFailure } from './start-failure.ts'

export async function readTokens(
  path: string | undefined,
): Promise<Result<readonly StaticToken[], StartFailure>> {
  if (path === undefined) return ok([])
  const text = await readGiven('--token-auth-file', path)
  if (!text.ok) return text
  const parsed = parseTokenFile(path, text.value)
  return parsed.ok ? parsed : cannotStart(parsed.failure.message)
}

export async function readPolicies(
  path: string | undefined,
  names: Names,
): Promise<Result<readonly AbacPolicy[], StartFailure>> {
  if (path === undefined) return ok([])
  const text = await readGiven('--authorization-policy-file', path)
  if (!text.ok) return text
  const parsed = parseAbacPolicies(text.value, names)
  return parsed.ok ? parsed : cannotStart(`${path}:${parsed.failure}`)
}

export async function readCa(
  flag: string,
  path: string | undefined,
): Promise<Result<string | undefined, StartFailure>> {
  if (path === undefined) return ok(undefined)
  const text = await readGiven(flag, path)
  if (!text.ok) return text
  const problem = certificatesProblem(text.value)
  return problem === undefined ? ok(text.value) : cannotStart(`${flag} ${path}: ${problem}`)
}

/** A certificate and its key, each named by a flag of its own. */
export async function readGivenPair(
  flags: { readonly certificate: string; readonly privateKey: string },
  files: { readonly certificate: string; readonly privateKey: string },
): Promise<Result<KeyPair, StartFailure>> {
  const [certificate, privateKey] = await Promise.all([
    readGiven(flags.certificate, files.certificate),
    readGiven(flags.privateKey, files.privateKey),
  ])
  if (!certificate.ok) return certificate
  if (!privateKey.ok) return privateKey
  const checked = checkPair({
    certificatePath: files.certificate,
    certificate: certificate.value,
    keyPath: files.privateKey,
    privateKey: privateKey.value,
  })
  return checked.ok ? ok(checked.value.pair) : cannotStart(checked.failure.message)
}

export async function readGiven(flag: string, path: string): Promise<Result<string, StartFailure>> {
  const text = await readFlagFile(flag, path)
  return text.ok ? text : cannotStart(text.failure)
}

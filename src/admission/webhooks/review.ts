/**
 * The conversation with a webhook: an AdmissionReview there, and one back.
 *
 * Source: admission/v1 AdmissionReview; specification, "Admission webhook configuration (v1 rules)".
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { HookKind, ReviewVersion } from './hook.ts'

export interface ReviewVerdict {
  readonly allowed: boolean
  /** A `Status`, of a refusal; undefined = it says nothing. */
  readonly status: JsonObject | undefined
  /** A JSON patch; undefined = nothing is changed. */
  readonly patch: JsonValue | undefined
  readonly warnings: readonly string[]
  /** For the audit log; keys without the name of the webhook. */
  readonly auditAnnotations: JsonObject
}

export interface Review {
  /** `admission.<domain>`. */
  readonly group: string
  readonly version: ReviewVersion
  readonly uid: string
  /** As {@link requestDocument} makes it. */
  readonly request: JsonObject
}

/** The body to send. What is empty is left out, as everywhere on the wire. */
export function reviewBody({ group, version, uid, request }: Review): Buffer {
  const shown: Record<string, JsonValue | undefined> = { uid }
  for (const [name, value] of Object.entries(request)) if (value !== '') shown[name] = value
  return Buffer.from(
    JSON.stringify({ kind: 'AdmissionReview', apiVersion: `${group}/${version}`, request: shown }),
  )
}

/** What the answer says; the failure is a sentence on what is wrong with it. */
export function readReview(
  kind: HookKind,
  { group, version, uid }: Review,
  body: Buffer,
): Result<ReviewVerdict, string> {
  const answer = parse(body)
  if (!isJsonObject(answer)) return fail('webhook response is not a JSON object')
  const { response } = answer
  const found = `${text(answer['apiVersion'])}, Kind=${text(answer['kind'])}`
  const wanted = `${group}/${version}, Kind=AdmissionReview`
  // Who speaks the older version may say nothing of it.
  const isNamed = version === 'v1' || found !== ', Kind='
  if (isNamed && found !== wanted) return fail(`expected webhook response of ${wanted}, got ${found}`)
  if (!isJsonObject(response)) return fail('webhook response was absent')
  if (version === 'v1' && response['uid'] !== uid)
    return fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`)
  const patch = readPatch(kind, version, response)
  if (!patch.ok) return patch
  const { allowed, status, warnings, auditAnnotations } = response
  return ok({
    allowed: allowed === true,
    status: isJsonObject(status) ? status : undefined,
    patch: patch.value,
    auditAnnotations: isJsonObject(auditAnnotations) ? auditAnnotations : {},
    warnings: Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : [],
  })
}

function readPatch(
  kind: HookKind,
  version: ReviewVersion,
  response: JsonObject,
): Result<JsonValue | undefined, string> {
  const [patch, type] = [text(response['patch']), response['patchType']]
  if (kind === 'validating') {
    if (version === 'v1beta1') return ok(undefined)
    if (patch !== '') return fail('validating webhook may not return response.patch')
    return type === undefined ? ok(undefined) : fail('validating webhook may not return response.patchType')
  }
  if (patch === '')
    return version === 'v1' && type !== undefined
      ? fail('webhook returned response.patchType but not response.patch')
      : ok(undefined)
  if (version === 'v1' && type === undefined)
    return fail('webhook returned response.patch but not response.patchType')
  if (type !== undefined && type !== 'JSONPatch')
    return fail(`webhook returned invalid response.patchType of ${JSON.stringify(type)}`)
  const value = parse(Buffer.from(patch, 'base64'))
  return value === undefined ? fail('response.patch is not JSON in base64') : ok(value)
}

/** Undefined = no JSON. */
function parse(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * The conversation with a conversion webhook: a ConversionReview there, and one back.
 *
 * Source: apiextensions/v1 ConversionReview.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { nestingDepth } from '../../codec/json-scan.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ReviewVersion } from './webhook-config.ts'

interface ConversionReview {
  /** `apiextensions.<domain>`. */
  readonly group: string
  readonly version: ReviewVersion
  readonly uid: string
  /** `<group>/<version>` that is wanted. */
  readonly desiredApiVersion: string
}

/** The body to send. @param objects the JSON text of each */
export function reviewBody(review: ConversionReview, objects: readonly string[]): Buffer {
  const { group, version, uid, desiredApiVersion } = review
  const head = JSON.stringify({ kind: 'ConversionReview', apiVersion: `${group}/${version}` })
  const request = JSON.stringify({ uid, desiredAPIVersion: desiredApiVersion })
  return Buffer.from(
    `${head.slice(0, -1)},"request":${request.slice(0, -1)},"objects":[${objects.join(',')}]}}`,
  )
}

/** What the failures of an answer are counted as. */
type AnswerFailure =
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'malformed'; readonly message: string }

/** What was converted, unjudged. */
export function readReview(
  { group, version, uid }: ConversionReview,
  body: Buffer,
): Result<readonly JsonValue[], AnswerFailure> {
  const answer = parse(body)
  if (!isJsonObject(answer))
    return fail({ type: 'unreadable', message: 'the answer is not a JSON object, or nests too deeply' })
  const malformed = (message: string) => fail({ type: 'malformed' as const, message })
  const found = kindText(answer)
  const wanted = kindText({ apiVersion: `${group}/${version}`, kind: 'ConversionReview' })
  if (version === 'v1' && found !== wanted)
    return malformed(`expected webhook response of ${wanted}, got ${found}`)
  const { response } = answer
  if (!isJsonObject(response)) return malformed('no response provided')
  if (version === 'v1' && response['uid'] !== uid)
    return malformed(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`,
    )
  const result = isJsonObject(response['result']) ? response['result'] : {}
  const { status, message } = result
  if (status !== 'Success')
    return malformed(
      typeof message === 'string' && message !== ''
        ? message
        : `response.result.status was '${typeof status === 'string' ? status : ''}', not 'Success'`,
    )
  const { convertedObjects } = response
  return ok(Array.isArray(convertedObjects) ? convertedObjects : [])
}

/** Levels of a whole answer: what clients may send, within a review. */
const nestingMax = 1010

/** Undefined = no JSON, or none that anybody should look into. */
function parse(bytes: Buffer): JsonValue | undefined {
  if (nestingDepth(bytes, nestingMax) > nestingMax) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** `<group>/<version>, Kind=<kind>`, as clients of this API know kinds; the group of `v1` is empty. */
export function kindText({ apiVersion, kind }: JsonObject): string {
  return `${groupVersionText(apiVersion)}, Kind=${typeof kind === 'string' ? kind : ''}`
}

/** `example.com/v1`; `/v1` where there is no group. */
function groupVersionText(apiVersion: JsonValue | undefined): string {
  const text = typeof apiVersion === 'string' ? apiVersion : ''
  return text.includes('/') ? text : `/${text}`
}

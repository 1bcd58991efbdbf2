/**
 * A request's body: from bytes to a JSON value, refusing what could hurt before it costs anything.
 *
 * Source: specification, "Headers and content types"; RFC 8259.
 */

import { isUtf8 } from 'node:buffer'
import type { Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { badRequest, tooLarge, unsupportedMediaType } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { duplicateJsonFields } from './duplicates.ts'
import { describeJsonError, nestingDepth } from './json-scan.ts'
import { type ParsedYaml, parseLenientYaml } from './yaml.ts'

const requestBytesMax = 3 * 1024 * 1024
export const objectBytesMax = 1_572_864
/** Deeper texts are refused: whatever walks a value may do so on the call stack. */
const nestingMax = 1000

/** `application/json; charset=utf-8` → `application/json`. '' when there is none. */
export function mediaTypeOf(exchange: Exchange): string {
  const header = exchange.header('content-type') ?? ''
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

/** The whole body, at most {@link requestBytesMax}. */
export async function readRequestBody(exchange: Exchange): Promise<Result<Buffer, ApiFailure>> {
  const body = await exchange.readBody(requestBytesMax)
  if (body.ok) return body
  switch (body.failure.code) {
    case 'TooLarge':
      return fail(tooLarge(`Request entity too large: limit is ${body.failure.limitBytes}`))
    case 'Aborted':
      return fail(badRequest('unexpected end of the request body'))
  }
}

const objectTypes: readonly string[] = ['application/json', 'application/yaml']

/** A format that not all bodies may have. */
export interface BodyFormat {
  readonly mediaType: string
  parse(bytes: Buffer): Result<JsonValue, ApiFailure>
}

/** A body whose type is known; each call parses it anew. */
interface RawBody {
  readonly bytes: Buffer
  parse(): Result<JsonValue, ApiFailure>
  /** Paths of members that are there more than once. `value`: what `parse` gave, not yet changed. */
  duplicateFields(value: JsonValue): readonly string[]
}

/** An object's body, JSON or YAML (or the other format) by its Content-Type; JSON without one. */
export async function readObjectBody(
  exchange: Exchange,
  other?: BodyFormat,
): Promise<Result<RawBody, ApiFailure>> {
  const type = mediaTypeOf(exchange)
  const format = type === other?.mediaType ? { ...other, duplicates: none } : formatOf(type)
  if (format === undefined) {
    const types = other === undefined ? objectTypes : [...objectTypes, other.mediaType]
    return fail(unsupportedMediaType(types))
  }
  const body = await readRequestBody(exchange)
  if (!body.ok) return body
  const bytes = body.value
  return ok({
    bytes,
    parse: () => format.parse(bytes),
    duplicateFields: (value) => format.duplicates(bytes, value),
  })
}

interface Format extends Pick<BodyFormat, 'parse'> {
  duplicates(bytes: Buffer, value: JsonValue): readonly string[]
}

const none = (): readonly string[] => []
const json: Format = { parse: parseJsonBody, duplicates: duplicateJsonFields }
const yaml: Format = { parse: parseForgivingYaml, duplicates: duplicateYamlFields }

function formatOf(type: string): Format | undefined {
  switch (type) {
    case '':
    case 'application/json':
      return json
    case 'application/yaml':
      return yaml
    default:
      return undefined
  }
}

/** The failure is 400, with what is wrong; nesting is bounded before the parser is asked. */
export function parseJsonBody(bytes: Buffer): Result<JsonValue, ApiFailure> {
  // A valid text opens and closes each level: a short one cannot be too deep.
  const depth = bytes.length <= 2 * nestingMax ? 0 : nestingDepth(bytes, nestingMax)
  const problem = textProblem(bytes) ?? depthProblem(depth)
  if (problem !== undefined) return fail(badRequest(problem))
  try {
    return ok(JSON.parse(bytes.toString('utf8')))
  } catch {
    return fail(badRequest(`the body is not valid JSON: ${describeJsonError(bytes)}`))
  }
}

/** Of a map that has a key twice the last one counts, as in JSON. */
function parseForgivingYaml(bytes: Buffer): Result<JsonValue, ApiFailure> {
  const parsed = parseLenientYamlBody(bytes)
  return parsed.ok ? ok(parsed.value.value) : parsed
}

/** The same, and which keys there are twice. */
export function parseLenientYamlBody(bytes: Buffer): Result<ParsedYaml, ApiFailure> {
  const problem = textProblem(bytes)
  if (problem !== undefined) return fail(badRequest(problem))
  const parsed = parseLenientYaml(bytes.toString('utf8'), nestingMax)
  return parsed.ok ? parsed : fail(badRequest(`the body is not valid YAML: ${parsed.failure}`))
}

function duplicateYamlFields(bytes: Buffer): readonly string[] {
  const parsed = parseLenientYaml(bytes.toString('utf8'), nestingMax)
  return parsed.ok ? parsed.value.duplicateFields : []
}

function textProblem(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return 'the request has no body'
  return isUtf8(bytes) ? undefined : 'the body is not valid UTF-8'
}

function depthProblem(depth: number): string | undefined {
  return depth > nestingMax ? `the body nests more than ${nestingMax} levels deep` : undefined
}

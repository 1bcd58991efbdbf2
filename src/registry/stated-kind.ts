/**
 * What a body says of its own type, held to what its path takes. Built-in types need not be named; a custom resource
 * must say its kind and version, as nothing else tells what it is.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { MessageType } from '../schema/descriptor.ts'
import { invalidValue } from '../status/causes.ts'
import { badRequest, invalid } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { apiVersionOf, type Kind } from '../types/resource.ts'

/** What a body must be. */
export interface Expected {
  readonly kind: Kind
  readonly message: MessageType
}

/** Where a value comes from. */
export interface BodySource {
  /** The text of the value, for failures that show it. */
  text(): string
  /** Set for what a patch makes: the failure of a value that cannot be read, or not strictly. */
  readonly refuse?: (message: string) => ApiFailure
}

/** Undefined = it is what the path takes. */
export function kindProblem(
  body: JsonObject,
  expected: Expected,
  source: BodySource,
): ApiFailure | undefined {
  const { kind, message } = expected
  for (const name of ['apiVersion', 'kind']) {
    const why = unreadable(name, body[name] ?? '')
    if (why !== undefined) return source.refuse?.(why) ?? unrecognized(kind, why, source)
  }
  return message.structural === undefined
    ? builtInProblem(body, kind, source)
    : customProblem(body, kind, source)
}

function unreadable(name: string, value: JsonValue): string | undefined {
  if (typeof value !== 'string') return `${unreadableKind} ${name} must be a string`
  const isGroupVersion = name !== 'apiVersion' || value.split('/').length <= 2
  return isGroupVersion ? undefined : `unexpected GroupVersion string: ${value}`
}

export const unreadableKind = "couldn't get version/kind; json parse error:"

/** Of a body that does not tell what it is. */
export function unrecognized({ kind }: Kind, why: string, { text }: BodySource): ApiFailure {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(text())})`,
  )
}

/** An absent apiVersion or kind is the expected one. */
function builtInProblem(body: JsonObject, expected: Kind, { refuse }: BodySource): ApiFailure | undefined {
  const { apiVersion, kind } = body
  if (apiVersion && apiVersion !== apiVersionOf(expected)) {
    const mismatch = versionMismatch(apiVersion, expected)
    return refuse?.(mismatch.message) ?? mismatch
  }
  if (kind && kind !== expected.kind) {
    const why = `${String(kind)} in version "${expected.version}" cannot be handled as a ${expected.kind}: the kind in the data does not match the expected kind`
    return refuse?.(why) ?? badRequest(why)
  }
  return undefined
}

/** That it is of another type is a matter of validation, except that a body must be of the path's version. */
function customProblem(body: JsonObject, expected: Kind, source: BodySource): ApiFailure | undefined {
  const { apiVersion, kind } = body
  const { refuse } = source
  if (!kind) {
    const why = `Object 'Kind' is missing in '${source.text()}'`
    return refuse?.(why) ?? unrecognized(expected, why, source)
  }
  const wanted = apiVersionOf(expected)
  if (apiVersion !== wanted && refuse === undefined) return versionMismatch(apiVersion, expected)
  const causes = [
    ...(kind === expected.kind ? [] : [invalidValue('kind', kind, `must be ${expected.kind}`)]),
    ...(apiVersion === wanted ? [] : [invalidValue('apiVersion', apiVersion ?? '', `must be ${wanted}`)]),
  ]
  if (causes.length === 0) return undefined
  return invalid({ group: groupOf(apiVersion), kind: String(kind) }, nameOf(body), causes)
}

function versionMismatch(apiVersion: JsonValue | undefined, expected: Kind): ApiFailure {
  return badRequest(
    `the API version in the data (${String(apiVersion ?? '')}) does not match the expected API version (${apiVersionOf(expected)})`,
  )
}

function groupOf(apiVersion: JsonValue | undefined): string {
  const text = String(apiVersion ?? '')
  return text.slice(0, Math.max(0, text.indexOf('/')))
}

function nameOf({ metadata }: JsonObject): string {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  return typeof name === 'string' ? name : ''
}

const summaryBytesMax = 30

/** The beginning of a body, in hexadecimal digits where it is no JSON object. */
function summary(text: string): string {
  const bytes = Buffer.from(text)
  const start = bytes.subarray(0, summaryBytesMax)
  const shown = start.toString(text.startsWith('{') ? 'utf8' : 'hex')
  return bytes.length > summaryBytesMax ? `${shown} ...` : shown
}

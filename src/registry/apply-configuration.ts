/** What a client applies: YAML, or JSON, which is most of it and read as such. Source: specification, "Patch types". */

import { fail, ok } from '../../store/contract.ts'
import { parseJsonBody, parseLenientYamlBody, readRequestBody } from '../codec/body.ts'
import { duplicateJsonFields } from '../codec/duplicates.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { badRequest } from '../status/failures.ts'
import { judgeFields } from './body-object.ts'
import type { ApiRequest, Checked } from './machinery.ts'
import type { FieldValidation } from './write-options.ts'

interface Parsed {
  readonly value: JsonValue
  readonly duplicateFields: readonly string[]
}

/** Warns of fields that are there twice, or refuses them. The name, where it is given, is that of the path. */
export async function readConfiguration(
  { exchange, info, warnings, audit }: ApiRequest,
  fieldValidation: FieldValidation,
): Promise<Checked<JsonObject>> {
  const bytes = await readRequestBody(exchange)
  if (!bytes.ok) return bytes
  const parsed = parse(bytes.value)
  if (!parsed.ok) return parsed
  const { value, duplicateFields } = parsed.value
  const refusal = judgeFields(duplicateFields, [], fieldValidation, warnings)
  if (refusal !== undefined) return fail(refusal)
  if (!isJsonObject(value))
    return fail(badRequest('error decoding YAML: an apply configuration is an object'))
  audit?.requestBody(value)
  const { metadata } = value
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  return name === undefined || name === info.name
    ? ok(value)
    : fail(
        badRequest(
          `the name of the object (${String(name)}) does not match the name on the URL (${info.name})`,
        ),
      )
}

const openBrace = 0x7b

/** JSON is YAML, but quicker to read. */
function parse(bytes: Buffer): Checked<Parsed> {
  const json = bytes[0] === openBrace ? parseJsonBody(bytes) : undefined
  return json?.ok
    ? ok({ value: json.value, duplicateFields: duplicateJsonFields(bytes, json.value) })
    : parseLenientYamlBody(bytes)
}

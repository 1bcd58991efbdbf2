/**
 * The way from client-side to server-side apply: the client `kubectl` keeps its last body in an annotation. Where the live
 * object still is what that body said, its first server-side apply takes the fields over without a conflict, and
 * from then on the annotation follows the applied body, so that going back works as well.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import { compareObjects } from './compare.ts'
import { isList } from './equality.ts'
import { difference, type FieldSet } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import type { StructShape } from './shape.ts'

/** The manager for which the annotation is honoured and kept; any other name opts out. */
export const lastAppliedManager = 'kubectl'

/** All annotations of an object together; the annotation is dropped rather than going beyond. */
const annotationBytesMax = 256 * 1024

function annotationsOf(object: JsonObject): JsonObject {
  const metadata = object['metadata']
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined
  return isJsonObject(annotations) ? annotations : {}
}

/** Whether `kubectl apply` without the server's help has left its annotation. */
export function hasLastApplied(object: JsonObject, annotation: string): boolean {
  return typeof annotationsOf(object)[annotation] === 'string'
}

/** The fields that the client's last body set and that nobody has changed since; undefined = no usable body. */
export function lastAppliedFields(
  shape: StructShape,
  live: JsonObject,
  annotation: string,
  apiVersion: string,
): FieldSet | undefined {
  const body = parseBody(annotationsOf(live)[annotation])
  if (body === undefined || body['apiVersion'] !== apiVersion) return undefined
  const changes = compareObjects(shape, body, live)
  if (!changes.ok) return undefined
  const { added, modified, removed } = changes.value
  return [modified, added, removed].reduce(difference, fieldSetOf(shape, body))
}

function parseBody(text: JsonValue | undefined): JsonObject | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const body: unknown = JSON.parse(text)
    return isJsonObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** `object` with the annotation saying `body`. Both stay as they are. */
export function withLastApplied(object: JsonObject, annotation: string, body: JsonObject): JsonObject {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const { [annotation]: _, ...annotations } = annotationsOf(object)
  const text = bodyText(body, annotation)
  const bytes = Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    Buffer.byteLength(annotation) + Buffer.byteLength(text),
  )
  const kept = bytes > annotationBytesMax ? annotations : { ...annotations, [annotation]: text }
  return { ...object, metadata: { ...metadata, annotations: kept } }
}

function bodyText(body: JsonObject, annotation: string): string {
  const metadata = body['metadata']
  if (!isJsonObject(metadata)) return `${JSON.stringify(inNameOrder(body))}\n`
  const { managedFields: _, ...identity } = metadata
  const { [annotation]: __, ...annotations } = annotationsOf(body)
  const own = isJsonObject(metadata['annotations']) ? { ...identity, annotations } : identity
  return `${JSON.stringify(inNameOrder({ ...body, metadata: own }))}\n`
}

function inNameOrder(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(inNameOrder)
  if (!isJsonObject(value)) return value
  const sorted: Record<string, JsonValue | undefined> = {}
  for (const name of Object.keys(value).sort()) {
    const part = value[name]
    if (part !== undefined) setOwn(sorted, name, inNameOrder(part))
  }
  return sorted
}

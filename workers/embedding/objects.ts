/**
 * Puts objects into an embedded control plane: custom resource definitions first, until they are served, then all else in
 * the order given. Each is applied (server-side apply), so that the same may be given again over a kept data directory.
 */

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.ts'
import type { OwnClient } from './own-client.ts'

/** An object of the API, or the path of a YAML or JSON file (several documents are allowed) or of a directory of them. */
export type GivenObject = string | Readonly<Record<string, unknown>>

const fieldManager = 'embedding'
const definitionKind = 'CustomResourceDefinition'

/** @returns as the server has them now. Rejects with an Error that names the file or the object, and what was wrong. */
export async function applyObjects(
  client: OwnClient,
  given: readonly GivenObject[],
): Promise<readonly JsonObject[]> {
  const objects = (await Promise.all(given.map(readGiven))).flat()
  const resources = createResources(client)
  const applied = new Map<JsonObject, JsonObject>()
  const definitions = objects.filter(({ kind }) => kind === definitionKind)
  for (const object of definitions) applied.set(object, await applyOne(client, resources, object))
  for (const object of definitions) applied.set(object, await established(client, resources, object))
  for (const object of objects) {
    if (!applied.has(object)) applied.set(object, await applyOne(client, resources, object))
  }
  return objects.map((object) => applied.get(object) ?? object)
}

async function readGiven(given: GivenObject): Promise<readonly JsonObject[]> {
  // Through JSON: what is no JSON is refused here, and the caller's object is left alone.
  if (typeof given !== 'string') return unwrap(JSON.parse(JSON.stringify(given)), 'an object')
  if (!(await stat(given)).isDirectory()) return readDocuments(given)
  const names = (await readdir(given)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort()
  return (await Promise.all(names.map((name) => readDocuments(join(given, name))))).flat()
}

async function readDocuments(path: string): Promise<readonly JsonObject[]> {
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(await readFile(path, 'utf8'))
  return [...documents].flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(`${path}: ${error.message}`)
    const value: JsonValue = document.toJS()
    return value === null ? [] : unwrap(value, path)
  })
}

/** The items of a List, as `kubectl get -o yaml` writes them. */
function unwrap(value: JsonValue, where: string): readonly JsonObject[] {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string')
    throw new Error(`${where}: expected an object with apiVersion and kind`)
  const { items } = value
  return value['kind'] === 'List' && Array.isArray(items)
    ? items.flatMap((item) => unwrap(item, where))
    : [value]
}

interface Resource {
  readonly plural: string
  readonly namespaced: boolean
}

type Resources = (object: JsonObject) => Promise<Resource>

/** Which resource a kind is, as discovery says; asked again for a kind that was not there before. */
function createResources(client: OwnClient): Resources {
  const known = new Map<string, Resource>()
  return async ({ apiVersion, kind }) => {
    const id = `${apiVersion} ${kind}`
    const found = known.get(id)
    if (found !== undefined) return found
    const { resources } = await client.send('GET', rootOf(String(apiVersion)))
    for (const each of Array.isArray(resources) ? resources.filter(isJsonObject) : []) {
      const { name, namespaced } = each
      if (typeof name !== 'string' || name.includes('/')) continue
      known.set(`${apiVersion} ${each['kind']}`, { plural: name, namespaced: namespaced === true })
    }
    const now = known.get(id)
    if (now === undefined) throw new Error(`${apiVersion} has no kind ${kind}`)
    return now
  }
}

async function applyOne(client: OwnClient, resources: Resources, object: JsonObject): Promise<JsonObject> {
  const { name } = metadataOf(object)
  const path = await pathOf(resources, object)
  const text = JSON.stringify(object)
  return typeof name === 'string'
    ? client.send('PATCH', `${path}/${encodeURIComponent(name)}?fieldManager=${fieldManager}&force=true`, {
        type: 'application/apply-patch+yaml',
        text,
      })
    : client.send('POST', `${path}?fieldManager=${fieldManager}`, { type: 'application/json', text })
}

async function pathOf(resources: Resources, object: JsonObject): Promise<string> {
  const { plural, namespaced } = await resources(object)
  const { namespace } = metadataOf(object)
  const within = typeof namespace === 'string' ? namespace : 'default'
  const root = rootOf(String(object['apiVersion']))
  return namespaced ? `${root}/namespaces/${encodeURIComponent(within)}/${plural}` : `${root}/${plural}`
}

/** Waits until the definition's resources are served. Rejects when its names are taken. */
async function established(client: OwnClient, resources: Resources, object: JsonObject): Promise<JsonObject> {
  const { name } = metadataOf(object)
  const path = `${await pathOf(resources, object)}?watch=true&fieldSelector=metadata.name%3D${name}`
  for await (const { object: now } of client.watch(path)) {
    if (!isJsonObject(now)) continue
    const conditions = conditionsOf(now)
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return now
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
    if (refused !== undefined) throw new Error(`${name} is not served: ${refused['message']}`)
  }
  throw new Error(`${name}: the server ended the watch before it was served`)
}

function conditionsOf({ status }: JsonObject): readonly JsonObject[] {
  const conditions = isJsonObject(status) ? status['conditions'] : undefined
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : []
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {}
}

/** `/api/v1`, `/apis/apps/v1`. */
function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
}

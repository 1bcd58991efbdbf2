/**
 * OpenAPI version 3: an index with a hash for each group version, and one document for each, made on first request
 * and kept while the types in it stay the same. Source: OpenAPI Specification 3.0; specification, "Versioning".
 */

import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import { apiVersionOf, type GroupVersion, type ResourceType, type TypeRegistry } from '../types/resource.ts'
import { createDefinitions, type Definitions, version3 } from './definitions.ts'
import { kindsByMessage } from './kinds.ts'
import { answerMessage, type Operation, type Path, pathsOf, tagOf } from './operations.ts'
import { nameParameter, namespaceParameter, parameterVersion3 } from './parameters.ts'

export interface OpenApiDocument {
  readonly bytes: Buffer
  /** Upper-case hex: the ETag, and `hash` in the index. */
  readonly hash: string
}

export interface OpenApiVersion3 {
  /** Body of `/openapi/v3`. Makes every document once, for their hashes. */
  index(): OpenApiDocument
  /** @param path `api/v1` or `apis/<group>/<version>` */
  document(path: string): OpenApiDocument | undefined
}

export interface OpenApiOptions {
  readonly names: Names
  readonly types: TypeRegistry
  readonly gitVersion: string
  /** Upper-case hex digest of a document. */
  readonly hash: (bytes: Buffer) => string
}

const mediaTypes = (names: Names): readonly string[] => [
  'application/json',
  'application/yaml',
  names.protobufMediaType,
]
export const patchMediaTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]

export function createOpenApiVersion3(options: OpenApiOptions): OpenApiVersion3 {
  const { types } = options
  const groupVersions = madeOfTypes(types, () => {
    const all = types.groups.flatMap(({ group, versions }) => versions.map((version) => ({ group, version })))
    return new Map(all.map((one) => [documentPath(one), one]))
  })
  const made = new Map<string, MadeDocument>()

  const finish = (value: JsonObject): OpenApiDocument => {
    const bytes = Buffer.from(JSON.stringify(value))
    return { bytes, hash: options.hash(bytes) }
  }
  const document = (path: string): OpenApiDocument | undefined => {
    const groupVersion = groupVersions().get(path)
    if (groupVersion === undefined) return undefined
    const resources = resourcesOf(groupVersion, types)
    const known = made.get(path)
    if (known !== undefined && sameMembers(known.resources, resources)) return known.document
    const document = finish(groupVersionDocument(groupVersion, resources, options))
    made.set(path, { resources, document })
    return document
  }
  const index = madeOfTypes(types, () => {
    const paths = [...groupVersions().keys()]
    for (const path of made.keys()) if (!groupVersions().has(path)) made.delete(path)
    return finish({
      paths: Object.fromEntries(
        paths.map((path) => [
          path,
          { serverRelativeURL: `/openapi/v3/${path}?hash=${document(path)?.hash ?? ''}` },
        ]),
      ),
    })
  })
  return { document, index }
}

/** A document, and what it was made of. */
interface MadeDocument {
  readonly resources: readonly ResourceType[]
  readonly document: OpenApiDocument
}

function sameMembers<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index])
}

function resourcesOf({ group, version }: GroupVersion, types: TypeRegistry): readonly ResourceType[] {
  return types.resources.filter(
    (type) => type.custom === undefined && type.group === group && type.version === version,
  )
}

function documentPath(groupVersion: GroupVersion): string {
  return `${groupVersion.group === '' ? 'api' : 'apis'}/${apiVersionOf(groupVersion)}`
}

function groupVersionDocument(
  groupVersion: GroupVersion,
  resources: readonly ResourceType[],
  options: OpenApiOptions,
): JsonObject {
  const definitions = createDefinitions(options.names, version3, kindsByMessage(resources, options.types))
  const writer = createWriter(definitions, options, groupVersion)
  const paths = Object.fromEntries(
    resources
      .flatMap(pathsOf)
      .map((path): [string, JsonObject] => [path.path, writer(path)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return {
    openapi: '3.0.0',
    info: { title: 'Cluster API Server', version: options.gitVersion },
    paths,
    components: {
      schemas: definitions.all(),
      securitySchemes: { BearerToken: { type: 'apiKey', in: 'header', name: 'authorization' } },
    },
  }
}

function createWriter(
  definitions: Definitions,
  { names, types }: OpenApiOptions,
  groupVersion: GroupVersion,
): (path: Path) => JsonObject {
  const content = (schema: JsonObject, media: readonly string[]): JsonObject =>
    Object.fromEntries(media.map((type) => [type, { schema }]))
  const all = mediaTypes(names)
  const streams = [...all, 'application/json;stream=watch', `${names.protobufMediaType};stream=watch`]

  const answer = (operation: Operation): JsonObject => {
    const schema = definitions.reference(answerMessage(operation, types))
    return {
      description: 'OK',
      content: content(schema, operation.answer === 'list' ? streams : all),
    }
  }
  const body = ({ body }: Operation): JsonObject => {
    if (body === undefined) return {}
    if (body === 'patch') {
      const schema = definitions.opaque('meta/v1.Patch')
      return { requestBody: { required: true, content: content(schema, patchMediaTypes) } }
    }
    const message = body === 'deleteOptions' ? types.message('meta/v1.DeleteOptions') : body
    const required = body === 'deleteOptions' ? {} : { required: true }
    return { requestBody: { ...required, content: content(definitions.reference(message), ['*/*']) } }
  }
  const write = (operation: Operation): JsonObject => ({
    tags: [tagOf(groupVersion)],
    operationId: operation.id,
    ...(operation.parameters.length === 0 ? {} : { parameters: operation.parameters.map(parameterVersion3) }),
    ...body(operation),
    responses: {
      '200': answer(operation),
      ...(operation.created ? { '201': { ...answer(operation), description: 'Created' } } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': {
      group: operation.kind.group,
      version: operation.kind.version,
      kind: operation.kind.kind,
    },
  })
  return (path) => ({
    ...Object.fromEntries(path.operations.map((operation) => [operation.method, write(operation)])),
    parameters: [
      ...(path.named ? [parameterVersion3(nameParameter)] : []),
      ...(path.namespaced ? [parameterVersion3(namespaceParameter)] : []),
    ],
  })
}

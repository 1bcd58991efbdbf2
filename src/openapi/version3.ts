/**
 * OpenAPI version 3: an index with a hash for each group version, and one document for each, made on first request
 * and kept for as long as the version serves the same types. Source: OpenAPI Specification 3.0; specification,
 * "Versioning".
 */

import type { JsonObject } from '../json.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import { apiVersionOf, type GroupVersion, type ResourceType } from '../types/resource.ts'
import { answerReference } from './answers.ts'
import { createDefinitions, type Definitions, version3 } from './definitions.ts'
import { customKindsOf, kindsByMessage } from './kinds.ts'
import { mediaTypesOf } from './media-types.ts'
import { type Operation, type Path, pathsOf, tagOf } from './operations.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { nameParameter, namespaceParameter, parameterVersion3 } from './parameters.ts'

export interface OpenApiVersion3 {
  /** Body of `/openapi/v3`. Makes every document once, for their hashes. */
  index(): OpenApiDocument
  /** @param path `api/v1` or `apis/<group>/<version>` */
  document(path: string): OpenApiDocument | undefined
}

interface Made {
  /** Of which it was made. */
  readonly resources: readonly ResourceType[]
  readonly document: OpenApiDocument
}

export function createOpenApiVersion3(options: OpenApiOptions): OpenApiVersion3 {
  const { types } = options
  const served = madeOfTypes(types, () => servedVersions(types))
  const made = new Map<string, Made>()

  const finish = (value: JsonObject): OpenApiDocument => {
    const bytes = Buffer.from(JSON.stringify(value))
    return { bytes, hash: options.hash(bytes) }
  }
  const documentOf = (path: string, version: ServedVersion): OpenApiDocument => {
    const known = made.get(path)
    if (known !== undefined && isSame(known.resources, version.resources)) return known.document
    const document = finish(groupVersionDocument(version, options))
    made.set(path, { resources: version.resources, document })
    return document
  }
  const index = madeOfTypes(types, () => {
    for (const path of made.keys()) if (!served().has(path)) made.delete(path)
    const paths = [...served()].map(([path, version]) => {
      const { hash } = documentOf(path, version)
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]
    })
    return finish({ paths: Object.fromEntries(paths) })
  })
  return {
    document(path) {
      const version = served().get(path)
      return version && documentOf(path, version)
    },
    index,
  }
}

interface ServedVersion extends GroupVersion {
  readonly resources: readonly ResourceType[]
}

/** By the path of their documents. */
function servedVersions({ groups, resources }: OpenApiOptions['types']): ReadonlyMap<string, ServedVersion> {
  const served = new Map<string, GroupVersion & { readonly resources: ResourceType[] }>()
  for (const { group, versions } of groups) {
    for (const version of versions) {
      const prefix = group === '' ? 'api' : 'apis'
      served.set(`${prefix}/${apiVersionOf({ group, version })}`, { group, version, resources: [] })
    }
  }
  for (const type of resources) {
    served.get(`${type.group === '' ? 'api' : 'apis'}/${type.apiVersion}`)?.resources.push(type)
  }
  return served
}

function isSame(a: readonly ResourceType[], b: readonly ResourceType[]): boolean {
  return a.length === b.length && a.every((type, index) => type === b[index])
}

function groupVersionDocument(served: ServedVersion, options: OpenApiOptions): JsonObject {
  const { names, types } = options
  const { resources } = served
  const definitions = createDefinitions(
    names,
    version3,
    kindsByMessage(resources, types),
    customKindsOf(resources),
  )
  const writer = createWriter(definitions, options, served)
  const paths = Object.fromEntries(
    resources
      .flatMap((type) => pathsOf(type, names))
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

  const answer = (operation: Operation): JsonObject => ({
    description: 'OK',
    content: content(answerReference(operation, definitions, types), mediaTypesOf(operation, names).answer),
  })
  const body = (operation: Operation): JsonObject => {
    if (operation.body === undefined) return {}
    const isOptional = operation.body === 'deleteOptions'
    const schema =
      operation.body === 'patch'
        ? definitions.opaque('meta/v1.Patch')
        : definitions.reference(
            operation.body === 'deleteOptions' ? types.message('meta/v1.DeleteOptions') : operation.body,
          )
    return {
      requestBody: {
        ...(isOptional ? {} : { required: true }),
        content: content(schema, mediaTypesOf(operation, names).body),
      },
    }
  }
  const write = (operation: Operation): JsonObject => ({
    tags: [tagOf(groupVersion, names)],
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

/**
 * OpenAPI version 2: everything that is served in one document, for clients that do not know version 3. Made on first
 * request, and kept while the same types are served. Source: OpenAPI Specification 2.0.
 */

import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { createDefinitions, type Definitions, version2 } from './definitions.ts'
import { kindsByMessage } from './kinds.ts'
import { answerMessage, type Operation, type Path, pathsOf, tagOf } from './operations.ts'
import { nameParameter, namespaceParameter, parameterVersion2 } from './parameters.ts'
import { encodeVersion2 } from './version2-protobuf.ts'
import { type OpenApiDocument, type OpenApiOptions, patchMediaTypes } from './version3.ts'

interface OpenApiVersion2 {
  json(): OpenApiDocument
  protobuf(): OpenApiDocument
}

export function createOpenApiVersion2(options: OpenApiOptions): OpenApiVersion2 {
  const kept = (make: () => Buffer): (() => OpenApiDocument) =>
    madeOfTypes(options.types, () => {
      const bytes = make()
      return { bytes, hash: options.hash(bytes) }
    })
  return {
    json: kept(() => Buffer.from(JSON.stringify(documentOf(options)))),
    protobuf: kept(() => encodeVersion2(documentOf(options))),
  }
}

function documentOf({ names, types, gitVersion }: OpenApiOptions): JsonObject {
  const resources = types.resources.filter(({ custom }) => custom === undefined)
  const definitions = createDefinitions(names, version2, kindsByMessage(resources, types))
  const paths = resources
    .flatMap((resource) => {
      const tag = tagOf(resource)
      return pathsOf(resource).map((path): [string, JsonObject] => [
        path.path,
        pathItem(path, tag, definitions, names, types),
      ])
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    swagger: '2.0',
    info: { title: 'Cluster API Server', version: gitVersion },
    paths: Object.fromEntries(paths),
    definitions: definitions.all(),
    securityDefinitions: {
      BearerToken: {
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
        description: 'Bearer Token authentication',
      },
    },
    security: [{ BearerToken: [] }],
  }
}

function pathItem(
  path: Path,
  tag: string,
  definitions: Definitions,
  names: Names,
  types: TypeRegistry,
): JsonObject {
  return {
    ...Object.fromEntries(
      path.operations.map((operation) => [
        operation.method,
        operationOf(operation, tag, definitions, names, types),
      ]),
    ),
    parameters: [
      ...(path.named ? [parameterVersion2(nameParameter)] : []),
      ...(path.namespaced ? [parameterVersion2(namespaceParameter)] : []),
    ],
  }
}

function operationOf(
  operation: Operation,
  tag: string,
  definitions: Definitions,
  names: Names,
  types: TypeRegistry,
): JsonObject {
  const media = ['application/json', 'application/yaml', names.protobufMediaType]
  const streams = ['application/json;stream=watch', `${names.protobufMediaType};stream=watch`]
  const schema = definitions.reference(answerMessage(operation, types))
  return {
    tags: [tag],
    operationId: operation.id,
    schemes: ['https'],
    consumes: operation.body === 'patch' ? patchMediaTypes : ['*/*'],
    produces: operation.answer === 'list' ? [...media, ...streams] : media,
    parameters: [
      ...bodyParameter(operation, definitions, types),
      ...operation.parameters.map(parameterVersion2),
    ],
    responses: {
      '200': { description: 'OK', schema },
      ...(operation.created ? { '201': { description: 'Created', schema } } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': {
      group: operation.kind.group,
      kind: operation.kind.kind,
      version: operation.kind.version,
    },
  }
}

function bodyParameter(
  { body }: Operation,
  definitions: Definitions,
  types: TypeRegistry,
): readonly JsonObject[] {
  if (body === undefined) return []
  const parameter = { name: 'body', in: 'body' }
  switch (body) {
    case 'patch':
      return [{ ...parameter, required: true, schema: definitions.opaque('meta/v1.Patch') }]
    case 'deleteOptions':
      return [{ ...parameter, schema: definitions.reference(types.message('meta/v1.DeleteOptions')) }]
    default:
      return [{ ...parameter, required: true, schema: definitions.reference(body) }]
  }
}

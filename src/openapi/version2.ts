/**
 * OpenAPI version 2: everything that is served in one document, for clients that do not know version 3. Made on first
 * request and kept for as long as the same types are served; what is built in is written once.
 *
 * Source: OpenAPI Specification 2.0.
 */

import type { JsonObject } from '../json.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import type { ResourceType } from '../types/resource.ts'
import { answerReference } from './answers.ts'
import { createDefinitions, type Definitions, version2 } from './definitions.ts'
import { customKindsOf, kindsByMessage } from './kinds.ts'
import { mediaTypesOf } from './media-types.ts'
import { type Operation, type Path, pathsOf, tagOf } from './operations.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { nameParameter, namespaceParameter, parameterVersion2 } from './parameters.ts'
import { encodeVersion2 } from './version2-protobuf.ts'

interface OpenApiVersion2 {
  json(): OpenApiDocument
  protobuf(): OpenApiDocument
}

/** Some of the types in JSON: member name → its text. */
interface Part {
  readonly paths: ReadonlyMap<string, string>
  readonly definitions: ReadonlyMap<string, string>
}

export function createOpenApiVersion2(options: OpenApiOptions): OpenApiVersion2 {
  const { types } = options
  let builtIn: Part | undefined
  const custom = new WeakMap<ResourceType, Part>()
  let protobuf: { readonly of: OpenApiDocument; readonly document: OpenApiDocument } | undefined

  const finish = (bytes: Buffer): OpenApiDocument => ({ bytes, hash: options.hash(bytes) })
  /** What all of them share is said with what is built in. */
  const customPart = (type: ResourceType, said: Part): Part => {
    const part = custom.get(type) ?? partOf([type], options, said.definitions)
    custom.set(type, part)
    return part
  }
  const json = madeOfTypes(types, () => {
    const own = builtIn ?? builtInPart(options)
    builtIn = own
    const parts = types.resources.filter(isCustom).map((type) => customPart(type, own))
    return finish(documentOf([own, ...parts], options))
  })
  return {
    json,
    protobuf() {
      const of = json()
      if (protobuf?.of !== of) {
        const document: JsonObject = JSON.parse(of.bytes.toString())
        protobuf = { of, document: finish(encodeVersion2(document)) }
      }
      return protobuf.document
    },
  }
}

function builtInPart(options: OpenApiOptions): Part {
  const resources = options.types.resources.filter((type) => !isCustom(type))
  return partOf(resources, options, new Map())
}

function isCustom({ custom }: ResourceType): boolean {
  return custom !== undefined
}

function documentOf(parts: readonly Part[], { gitVersion }: OpenApiOptions): Buffer {
  const info = { title: 'Cluster API Server', version: gitVersion }
  const security = {
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
  const paths = objectText(parts.map((part) => part.paths))
  const definitions = objectText(parts.map((part) => part.definitions))
  const end = JSON.stringify(security).slice(1)
  return Buffer.from(
    `{"swagger":"2.0","info":${JSON.stringify(info)},"paths":${paths},"definitions":${definitions},${end}`,
  )
}

/** In the order of the names. */
function objectText(maps: readonly ReadonlyMap<string, string>[]): string {
  const all = [...new Map(maps.flatMap((map) => [...map]))]
  return `{${all
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`
}

/** Without the definitions that are said elsewhere. */
function partOf(
  resources: readonly ResourceType[],
  options: OpenApiOptions,
  said: Part['definitions'],
): Part {
  const { names, types } = options
  const definitions = createDefinitions(
    names,
    version2,
    kindsByMessage(resources, types),
    customKindsOf(resources),
  )
  const paths = new Map(
    resources.flatMap((resource) => {
      const tag = tagOf(resource, names)
      return pathsOf(resource, names).map((path): [string, string] => [
        path.path,
        JSON.stringify(pathItem(path, tag, definitions, options)),
      ])
    }),
  )
  const texts = Object.entries(definitions.all())
    .filter(([name]) => !said.has(name))
    .map(([name, schema]): [string, string] => [name, JSON.stringify(schema)])
  return { paths, definitions: new Map(texts) }
}

function pathItem(path: Path, tag: string, definitions: Definitions, options: OpenApiOptions): JsonObject {
  return {
    ...Object.fromEntries(
      path.operations.map((operation) => [
        operation.method,
        operationOf(operation, tag, definitions, options),
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
  { names, types }: OpenApiOptions,
): JsonObject {
  const media = mediaTypesOf(operation, names)
  const schema = answerReference(operation, definitions, types)
  return {
    tags: [tag],
    operationId: operation.id,
    schemes: ['https'],
    consumes: media.body,
    produces: media.answer,
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
  types: OpenApiOptions['types'],
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

/** What JSON Schema has and no structural schema can: where it stands, nothing is read of the schema at all. */

import { itemsIn, textIn } from '../../types/validation/read.ts'
import { junctors, namedIn, type Schema, schemaIn, tupleIn } from './json-schema.ts'

/** The first part that is not supported, in words; undefined = the schema can be read. */
export function unsupportedPart(schema: Schema): string | undefined {
  return (
    own(schema) ?? first(branches(schema)) ?? extension(schema) ?? items(schema) ?? first(members(schema))
  )
}

function own(schema: Schema): string | undefined {
  const part = (
    [
      ['id', textIn(schema, 'id') !== ''],
      ['schema', textIn(schema, '$schema') !== ''],
      ['$ref', textIn(schema, '$ref') !== ''],
      ['patternProperties', namedIn(schema, 'patternProperties').length > 0],
      ['dependencies', Object.keys(schemaIn(schema, 'dependencies') ?? {}).length > 0],
      ['additionalItems', schema['additionalItems'] !== undefined],
      ['definitions', namedIn(schema, 'definitions').length > 0],
    ] as const
  ).find(([, there]) => there)
  return part === undefined ? undefined : `OpenAPIV3Schema '${part[0]}' is not supported`
}

function branches(schema: Schema): readonly (Schema | undefined)[] {
  const inside = junctors.flatMap((name) => itemsIn(schema, name))
  return [schemaIn(schema, 'not'), ...inside, schemaIn(schema, 'additionalProperties')]
}

function extension(schema: Schema): string | undefined {
  return schema['x-kubernetes-preserve-unknown-fields'] === false
    ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    : undefined
}

function items(schema: Schema): string | undefined {
  return tupleIn(schema).length > 0 ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined
}

function members(schema: Schema): readonly (Schema | undefined)[] {
  return [schemaIn(schema, 'items'), ...namedIn(schema, 'properties').map(([, one]) => one)]
}

function first(schemas: readonly (Schema | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const part = schema === undefined ? undefined : unsupportedPart(schema)
    if (part !== undefined) return part
  }
  return undefined
}

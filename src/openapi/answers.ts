/** What operations answer with, as definitions. */

import type { JsonObject } from '../json.ts'
import type { TypeRegistry } from '../types/resource.ts'
import type { Definitions } from './definitions.ts'
import type { Operation } from './operations.ts'

/** A reference to what a successful operation answers with. */
export function answerReference(
  { answer, element }: Operation,
  definitions: Definitions,
  types: TypeRegistry,
): JsonObject {
  if (answer === 'status') return definitions.reference(types.message('meta/v1.Status'))
  if (answer !== 'list') return definitions.reference(answer)
  return element.structural === undefined
    ? definitions.reference(types.message(`${element.id}List`))
    : definitions.listReference(element, types.message('meta/v1.ListMeta'))
}

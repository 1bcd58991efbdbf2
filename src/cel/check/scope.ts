/** What names mean: the environment's variables, type names and functions, and the variables of enclosing macros. */

import type { Library, Overload } from '../library/library.ts'
import { type CelType, cel, type ObjectType, runtimeNameOf } from '../types.ts'

export type Binding =
  | { readonly kind: 'variable'; readonly name: string; readonly type: CelType }
  /** A macro's variable: its place among those of the evaluation, outermost first. */
  | { readonly kind: 'local'; readonly slot: number; readonly type: CelType }
  | { readonly kind: 'type'; readonly name: string; readonly type: CelType }

/** Functions and type names of some libraries, indexed once. */
export interface Vocabulary {
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly types: ReadonlyMap<string, CelType>
}

const coreTypes: readonly CelType[] = [
  cel.bool,
  cel.int,
  cel.uint,
  cel.double,
  cel.string,
  cel.bytes,
  cel.null,
  cel.timestamp,
  cel.duration,
  cel.list(cel.dyn),
  cel.map(cel.dyn, cel.dyn),
  cel.typeOf(cel.dyn),
]

export function createVocabulary(libraries: readonly Library[]): Vocabulary {
  const functions = new Map<string, Overload[]>()
  for (const overload of libraries.flatMap((library) => library.overloads)) {
    const known = functions.get(overload.name)
    if (known === undefined) functions.set(overload.name, [overload])
    else known.push(overload)
  }
  const types = [...coreTypes, ...libraries.flatMap((library) => library.types ?? [])]
  return { functions, types: new Map(types.map((type) => [runtimeNameOf(type), type])) }
}

/** Object types that the variables' types mention, themselves included, by name. */
export function objectTypesOf(variables: Iterable<CelType>): ReadonlyMap<string, ObjectType> {
  const found = new Map<string, ObjectType>()
  const open = [...variables]
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    switch (type.kind) {
      case 'list':
      case 'optional':
        open.push(type.element)
        break
      case 'map':
        open.push(type.key, type.value)
        break
      case 'object':
        if (found.has(type.name)) break
        found.set(type.name, type)
        for (const field of type.fields.values()) open.push(field.type)
        break
      default:
    }
  }
  return found
}

/** Variables of enclosing macros, innermost first. */
export interface Locals {
  readonly name: string
  readonly type: CelType
  readonly slot: number
  readonly outer: Locals | undefined
}

/** The innermost variable of a macro with that name. */
export function findLocal(locals: Locals | undefined, name: string): Locals | undefined {
  for (let at = locals; at !== undefined; at = at.outer) if (at.name === name) return at
  return undefined
}

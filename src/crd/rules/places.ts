/** The places of a schema at which rules stand, or further in than which. */

import type { Structural } from '../schema/structural.ts'
import { type CompiledRule, compileRules } from './compile.ts'
import { type Declared, declare } from './declare.ts'
import { escapeName } from './escape.ts'
import { hasRules } from './present.ts'

/** Cannot be written in an expression, so that none depends on it. */
const typeName = '@self'

/** One place, and what of it has rules. */
export class Place {
  readonly structural: Structural
  readonly items: Place | undefined
  /** Of maps. */
  readonly values: Place | undefined
  readonly properties: ReadonlyMap<string, Place>
  readonly #declared: Declared | undefined
  #rules: readonly CompiledRule[] | undefined

  constructor(structural: Structural, declared: Declared | undefined) {
    const { items, additionalProperties, properties } = structural
    const within = (child: Structural | true | undefined): Place | undefined =>
      typeof child === 'object' && hasRules(child) ? new Place(child, declared?.element) : undefined
    this.structural = structural
    this.#declared = declared
    this.items = within(items)
    this.values = within(additionalProperties)
    this.properties = new Map(
      [...properties].flatMap(([name, child]) => {
        const known = hasRules(child) ? declaredProperty(declared, name, child) : undefined
        return known === undefined ? [] : [[name, new Place(child, known)] as const]
      }),
    )
  }

  /** Compiled at the first call. */
  get rules(): readonly CompiledRule[] {
    this.#rules ??=
      this.#declared === undefined ? [] : compileRules(this.structural, this.#declared.type, undefined)
    return this.#rules
  }
}

/** A name that no expression can spell hides the property from those outside, not its rules from it. */
function declaredProperty(
  declared: Declared | undefined,
  name: string,
  child: Structural,
): Declared | undefined {
  const field = escapeName(name)
  return field === undefined ? declare(child, child.embeddedResource, typeName) : declared?.fields?.get(field)
}

/** @param isRoot of a resource, or of one that is embedded */
export function placeOf(structural: Structural, isRoot: boolean): Place {
  return new Place(structural, declare(structural, isRoot, typeName))
}

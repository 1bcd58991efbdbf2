/** Things that are made of all types that are served, and kept while those stay the same. */

import type { TypeRegistry } from './resource.ts'

/** Gives what `make` has made; anew when what is served has changed since. */
export function madeOfTypes<T>(types: Pick<TypeRegistry, 'generation'>, make: () => T): () => T {
  let kept: { readonly generation: number; readonly made: T } | undefined
  return () => {
    const { generation } = types
    if (kept?.generation !== generation) kept = { generation, made: make() }
    return kept.made
  }
}

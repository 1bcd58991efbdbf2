/**
 * Paths into objects in the dialect of this API's command line client (`kubectl get -o jsonpath`), in which definitions
 * say what columns show. It is a dialect of its own: what is absent is no result and no failure, `['a']` and `.a` are
 * the same, keys escape dots (`\.`), filters compare with texts and numbers of one kind only. Libraries speak RFC 9535
 * or Goessner's proposal, which read the same texts differently, or evaluate filters as code; hence a reader of our own.
 */

export type PathNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'slice'; readonly slice: Slice }
  | { readonly kind: 'filter'; readonly filter: Filter }
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'union'; readonly paths: readonly (readonly PathNode[])[] }
  /** `range`, `end` and the like: they mean something in templates only. */
  | { readonly kind: 'identifier'; readonly name: string }

/** Numbers of a path are whole or not by how they are written. */
export type Literal =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'float'; readonly value: number }

/** `[from:to:step]`; undefined = left out. Negative ones count from the end. */
export interface Slice {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly step: number | undefined
  /** `[index]`: `to` is the one behind it. */
  readonly isIndex: boolean
}

export interface Filter {
  readonly left: readonly PathNode[]
  /** `exists`, or what stands between the sides: anything made of `!<>=`. */
  readonly operator: string
  readonly right: readonly PathNode[]
}

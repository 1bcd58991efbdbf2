/** Which rules a definition is held to; all of them, unless it is a change of one that breaks some already. */

export interface Strictness {
  /** One of `conversionReviewVersions` must be known here. */
  readonly knownReviewVersion: boolean
  /** Scope and kind stay as they are. */
  readonly fixedNames: boolean
  /** Every version has a schema, not just those that are served. */
  readonly schemas: boolean
  readonly knownTypes: boolean
  readonly structural: boolean
  /** Defaults have no members that their schema does not name. */
  readonly prunedDefaults: boolean
  /** Elements of sets are atomic. */
  readonly atomicSets: boolean
  /** Keys of lists of type map are there, and are not null. */
  readonly mapKeys: boolean
}

/** New definitions. */
export const strict: Strictness = {
  knownReviewVersion: true,
  fixedNames: false,
  schemas: true,
  knownTypes: true,
  structural: true,
  prunedDefaults: true,
  atomicSets: true,
  mapKeys: true,
}

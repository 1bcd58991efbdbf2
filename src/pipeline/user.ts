/** Who makes a request. Source: specification, "Users". Opaque to everything but authorization. */
export interface User {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: ReadonlyMap<string, readonly string[]>
}

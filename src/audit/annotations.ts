/** What others add to the entry of a request: why it was allowed, what webhooks and policies said. */
export interface AuditAnnotations {
  /**
   * A key is given once: a second value is not taken. Keys begin with who says it: `<domain>/<name>`.
   * @param level the entry has it from this level on; absent = from `Metadata` on
   */
  annotate(key: string, value: string, level?: 'Metadata' | 'Request'): void
}

/** Where the body of a request is made known. */
export interface AuditedRequest extends AuditAnnotations {
  /** The object in its body, as it was before anybody changed it. */
  requestObject(object: RequestObject): void
  /** A patch, as it came, or options. */
  requestBody(body: Buffer | object): void
}

/** What an entry tells of an object, whatever it is. */
export interface RequestObject {
  readonly metadata: {
    readonly namespace?: string
    readonly name?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
}

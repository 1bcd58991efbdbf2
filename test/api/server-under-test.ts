/**
 * What the API suite needs of a server, whatever carries its requests: in this process, or over any transport. Each
 * row of the suite is data; whoever has a transport makes one of these and runs `runApiSuite` over it.
 */

export type Body = string | Buffer | object

export interface TestRequest {
  readonly method: string
  /** With the query, percent-encoded. */
  readonly target: string
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON. */
  readonly body?: Body
  /** Who asks; absent = the administrator. */
  readonly as?: 'admin' | 'anonymous' | 'user'
}

export interface TestAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

export interface WatchEvent {
  readonly type: string
  readonly object: Readonly<Record<string, unknown>>
}

export interface TestWatch {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The next event; undefined = the stream has ended properly. */
  next(): Promise<WatchEvent | undefined>
  /** The client goes away. */
  close(): void
}

export interface ServerUnderTest {
  request(request: TestRequest): Promise<TestAnswer>
  /** `target` has the watch parameter already. */
  watch(request: TestRequest): Promise<TestWatch>
}

/** Names that depend on the dialect that the server speaks. */
export interface SuiteNames {
  /** `meta.…`, of Table and PartialObjectMetadata. */
  readonly metaGroup: string
  readonly groupDomain: string
  readonly labelDomain: string
  readonly systemNamespace: string
}

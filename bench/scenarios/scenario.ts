/**
 * What a scenario is, and what it is handed.
 */

import type { Endpoint } from '../client/endpoint.ts'
import type { Crew } from '../crew/crew.ts'
import type { ProcessTree } from '../measure/processes.ts'
import type { Metric, Sample } from '../measure/sample.ts'

export interface Settings {
  readonly runs: number
  /** Measured stretch of a run. */
  readonly windowMs: number
  /** Load before it that is not measured. */
  readonly warmUpMs: number
  /** So many small requests at least, within `warmUpMaxMs`: on a busy machine the time alone compiles nothing. */
  readonly warmUpRequests: number
  readonly warmUpMaxMs: number
  /** Requests in flight, each on its own connection: small requests. */
  readonly connections: number
  /** The same for lists. */
  readonly listConnections: number
  /** JSON bytes of a written object, as sent. */
  readonly objectBytes: number
  readonly listObjects: number
  /** JSON bytes of a listed object, as answered. */
  readonly listItemBytes: number
  readonly listChunk: number
  readonly watchers: readonly number[]
  readonly selectorWatchers: number
  readonly mixedWatchers: number
  readonly ratePerSecond: number
  readonly idleWatches: number
  readonly memoryObjects: number
  /** Numbers of objects among which writes, pages and events are measured. */
  readonly growthObjects: readonly number[]
  /** Numbers of watchers that look elsewhere. */
  readonly otherWatchers: readonly number[]
  /** Numbers of workers of one server. */
  readonly workers: readonly number[]
  /** How long events may take to arrive after the last write before they count as missing. */
  readonly drainMs: number
  /** Count the server's instructions in user mode, too. */
  readonly instructions: boolean
  /** Clients that share a load, each a thread. */
  readonly clients: number
}

export const fullSettings: Settings = {
  runs: 3,
  windowMs: 3000,
  warmUpMs: 1000,
  warmUpRequests: 3000,
  warmUpMaxMs: 10_000,
  connections: 32,
  listConnections: 4,
  objectBytes: 1024,
  listObjects: 10_000,
  listItemBytes: 1200,
  listChunk: 500,
  watchers: [10, 100, 1000, 5000],
  selectorWatchers: 1000,
  mixedWatchers: 100,
  ratePerSecond: 20,
  idleWatches: 10_000,
  memoryObjects: 10_000,
  growthObjects: [1000, 10_000, 100_000],
  otherWatchers: [0, 1000, 4000],
  workers: [1, 2, 4],
  drainMs: 30_000,
  instructions: false,
  clients: 1,
}

export const quickSettings: Settings = {
  ...fullSettings,
  runs: 1,
  windowMs: 1500,
  warmUpMs: 500,
  watchers: [10, 100, 1000],
  idleWatches: 500,
  growthObjects: [1000, 10_000],
  otherWatchers: [0, 1000],
  workers: [1, 2],
}

/** How another server of the same kind is to differ. */
interface OwnChanges {
  readonly workers?: number
  /** Whose it is not: it stays when the server ends. Absent: an empty one, which goes with the server. */
  readonly dataDirectory?: string
}

/** A server under measurement. */
export interface Target {
  readonly name: string
  readonly endpoint: Endpoint
  /** Absent when its processes are not known: figures of the server's cost are left out. */
  readonly processes: ProcessTree | undefined
  /** Starts one more of the same, with empty data; absent when it was not started here. */
  readonly another?: ((changes?: OwnChanges) => Promise<StartedTarget>) | undefined
  /** The bare server of `baseline.ts`, which stores nothing. */
  readonly isBaseline: boolean
  /** The server's data outlives the run: objects are deleted at the end of each scenario. */
  readonly isForeign: boolean
}

export interface StartedTarget extends Target {
  /** From the start of the process to the first 200 of `/readyz`. */
  readonly readyMs: number
  close(): Promise<void>
}

export interface Goal {
  readonly metric: Metric
  /** As the design states it, on the machine of its table. */
  readonly atMost: number
  /** The bare server's figure in the same table: what makes the goal one for other machines too. */
  readonly baselineThere?: number
  /** That of kube-apiserver in the same table: beside a report of one from here, the goal is a share of its figure. */
  readonly referenceThere?: number
}

export interface Context {
  readonly target: Target
  readonly settings: Settings
  /** A namespace of this scenario's own. It does not exist yet. */
  readonly namespace: string
  /** This client, and those beside it. */
  readonly crew: Crew
}

/** A scenario set up on a target: measured as often as wished, then closed. */
export interface Prepared {
  run(): Promise<Sample>
  close(): Promise<void>
}

export type Preparation = Prepared | { readonly skipped: string }

export interface Scenario {
  /** As on the command line: `fanout-saturated-1000`. */
  readonly name: string
  readonly title: string
  /** What is counted: the figures are for each of these. */
  readonly unit: string
  readonly goal?: Goal
  /** Several clients can share its load: each prepares it with its own place in the crew. */
  readonly shared?: boolean
  readonly prepare: (context: Context) => Promise<Preparation>
}

/** What the clients of a crew say to each other. */

import type { Credentials } from '../client/endpoint.ts'
import type { Settings } from '../scenarios/scenario.ts'
import type { Counted } from './crew.ts'

/** What a client's thread is started with. */
export interface Assignment {
  readonly index: number
  readonly count: number
  readonly scenario: string
  readonly settings: Settings
  readonly namespace: string
  readonly targetName: string
  readonly isBaseline: boolean
  readonly credentials: Credentials
  /** A number of each client, told by `Crew.tell`: `Float64Array`. */
  readonly told: SharedArrayBuffer
}

/** The leader's. */
export type Order =
  | { readonly type: 'run' }
  | { readonly type: 'begin' }
  | { readonly type: 'end' }
  | { readonly type: 'hand'; readonly value: unknown }
  | { readonly type: 'close' }

/** The others'. */
export type Reply =
  | { readonly type: 'prepared' }
  /** Its load is under way. */
  | { readonly type: 'loading' }
  | { readonly type: 'counted'; readonly counted: Counted }
  | { readonly type: 'ran' }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly message: string }

/** What runs behind the API and writes on its own. */

import type { Machinery } from '../registry/machinery.ts'
import type { Router } from '../registry/router.ts'

/** Starts once; after `close` it writes nothing more. */
export interface Controller {
  start(): void
  close(): void
}

/** Where controllers find the routes of what they read and write. */
export type Routes = Pick<Router, 'route' | 'stored'>

/** Builds one for each term of leadership. */
export type ControllerFactory = (machinery: Machinery, routes: Routes) => Controller

/** Every flag of `serve`. Names are those of the specification where it names one. Within a group, `--help` keeps this order. */

import { apiFlags } from './tables/api.ts'
import { auditFlags } from './tables/audit.ts'
import { authenticationFlags } from './tables/authentication.ts'
import { authorizationFlags } from './tables/authorization.ts'
import { controllerFlags } from './tables/controllers.ts'
import { externalAccessFlags } from './tables/external-access.ts'
import { listenerFlags } from './tables/listeners.ts'
import { logFlags } from './tables/logs.ts'
import { nodeAgentFlags } from './tables/node-agents.ts'
import { processFlags } from './tables/processes.ts'
import { storeFlags } from './tables/store.ts'
import type { ValuesOf } from './words.ts'

export const flags = {
  ...storeFlags,
  ...listenerFlags,
  ...authenticationFlags,
  ...controllerFlags,
  ...authorizationFlags,
  ...externalAccessFlags,
  ...nodeAgentFlags,
  ...apiFlags,
  ...processFlags,
  ...logFlags,
  ...auditFlags,
} as const

export type FlagName = keyof typeof flags
export type FlagValues = ValuesOf<typeof flags>

/** Flags of the processes: how many there are, what they run, how they start and stop. */

import { controllerNames } from '../../../src/controllers/selection.ts'
import { duration, flag, hour, integer, list } from '../flag.ts'

const group = 'Processes'

export const processFlags = {
  workers: flag({
    group,
    kind: integer(0, 256),
    default: undefined,
    defaultHelp: 'one for each core',
    help: 'Processes that serve clients; 0 = everything in one process.',
  }),
  controllers: flag({
    group,
    kind: list,
    default: '*',
    help: `Controllers to run: * is all that are on by default, foo is foo too, -foo is not foo. There are ${Object.keys(controllerNames).join(', ')}; bootstrapsigner and tokencleaner are off by default.`,
  }),
  'shutdown-delay-duration': flag({
    group,
    kind: duration(0, hour),
    default: '0s',
    help: 'After SIGTERM, how long to go on serving while /readyz fails, so that load balancers can turn away.',
  }),
  'livez-grace-period': flag({
    group,
    kind: duration(0, hour),
    default: '0s',
    help: 'After start, how long /livez does not fail for a server that is not yet ready.',
  }),
} as const

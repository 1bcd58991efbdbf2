/** Flags of what users may do, and whether those without a credential are users. */

import { authorizationModes } from '../../../src/authz/modes.ts'
import { boolean, choices, file, flag } from '../flag.ts'

const group = 'Access'

export const authorizationFlags = {
  'authorization-mode': flag({
    group,
    kind: choices(...authorizationModes),
    default: undefined,
    defaultHelp: 'Node,RBAC',
    help: `Who decides what a user may do, in order: the first that allows or denies has the last word. There are ${authorizationModes.join(', ')}.`,
  }),
  'authorization-policy-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Policies of the mode ABAC, one JSON object in each line. Read at start.',
  }),
  'anonymous-auth': flag({
    group,
    kind: boolean,
    default: undefined,
    defaultHelp: 'true, but false with AlwaysAllow',
    help: 'Takes requests without a credential as those of system:anonymous, in the group system:unauthenticated; false refuses them.',
  }),
} as const

/** The modules that hold whatever else is configured: the privileged group, and paths that everybody may read. */

import { type Authorizer, allow, noOpinion } from './authorizer.ts'

export const privilegedGroup = 'system:masters'

/** Members of `system:masters` may do all: bootstrap rests on it. */
export const privilegedGroupAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(privilegedGroup) ? allow : noOpinion),
}

const alwaysReadable: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz'])

/** Health is no secret: load balancers and probes come without credentials, and before roles have been read. */
export const publicPathAuthorizer: Authorizer = {
  authorize: ({ request }) =>
    request.type === 'nonResource' && alwaysReadable.has(request.path) ? allow : noOpinion,
}

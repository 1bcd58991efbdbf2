/** The modules that hold whatever else is configured: the privileged group, and paths that everybody may read. */

import { type Authorizer, allow, noOpinion } from './authorizer.ts'

const privilegedGroup = 'system:masters'

/** Members of `system:masters` may do all: bootstrap rests on it. */
export const privilegedGroupAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(privilegedGroup) ? allow : noOpinion),
}

const alwaysReadable = /^\/(healthz|livez|readyz|version)(\/|$)/

/** Health and version are no secret: load balancers and probes come without credentials. */
export const publicPathAuthorizer: Authorizer = {
  authorize: ({ request }) =>
    request.type === 'nonResource' && request.verb === 'get' && alwaysReadable.test(request.path)
      ? allow
      : noOpinion,
}

/** Credentials that say nothing of audiences: they are for this server, and so count only where it is asked for. */

import type { TokenAuthenticator } from './authenticate.ts'

/** @param apiAudiences what this server is called; none = nobody asks */
export function createAudienceAgnostic(
  inner: TokenAuthenticator,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  if (apiAudiences.length === 0) return inner
  return {
    authenticateToken(token, audiences) {
      if (audiences === undefined) return inner.authenticateToken(token)
      const common = audiences.filter((audience) => apiAudiences.includes(audience))
      return common.length === 0 ? { type: 'none' } : withAudiences(inner, token, common)
    },
  }
}

async function withAudiences(inner: TokenAuthenticator, token: string, audiences: readonly string[]) {
  const answer = await inner.authenticateToken(token)
  return answer.type === 'user' ? { ...answer, audiences } : answer
}

/**
 * Who makes a request. Each method either has nothing to say, names a user, or refuses. The first that names a user
 * decides; where none does and one has refused, the request is refused, and never anonymous.
 *
 * Source: specification, "Authentication": an invalid bearer token is 401 and never anonymous.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Exchange, PeerCertificate } from '../pipeline/exchange.ts'
import type { User } from '../pipeline/user.ts'

export const anonymousName = 'system:anonymous'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

export const anonymous: User = {
  name: anonymousName,
  uid: '',
  groups: [unauthenticatedGroup],
  extra: new Map(),
}

/** What the use of a credential is known for: in the audit log, and to its user. */
export interface CredentialNotes {
  readonly annotations: readonly (readonly [key: string, value: string])[]
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[]
}

/** `none`: no credential of this method was presented. */
export type Authentication =
  | {
      readonly type: 'user'
      readonly user: User
      /** Of the audiences that were asked for, those that the credential is for; absent = the method knows of none. */
      readonly audiences?: readonly string[]
      /** Absent = there is nothing to say. */
      readonly notes?: CredentialNotes
    }
  | { readonly type: 'none' }
  /** `reason` is for the log and for reviewers of tokens: it holds no part of the credential. */
  | { readonly type: 'refused'; readonly reason?: string; readonly notes?: CredentialNotes }

export interface Authenticator {
  authenticate(exchange: Exchange): Authentication | Promise<Authentication>
}

interface TokenUser {
  readonly token: string
  readonly user: { readonly name: string; readonly uid: string; readonly groups: readonly string[] }
}

const none: Authentication = { type: 'none' }
const refused: Authentication = { type: 'refused' }

/** The first method that names a user; else refused, where one refused; else anonymous, where that is allowed. */
export function createAuthenticators(
  methods: readonly Authenticator[],
  { anonymousAllowed }: { readonly anonymousAllowed: boolean },
): Authenticator {
  const nobody: Authentication = anonymousAllowed ? { type: 'user', user: anonymous } : refused

  /** The rest of the way, from the first method on that does not know at once. */
  async function goOn(
    exchange: Exchange,
    at: number,
    pending: Promise<Authentication>,
    before: Authentication | undefined,
  ): Promise<Authentication> {
    let refusal = before
    let answer = await pending
    for (const method of methods.slice(at + 1)) {
      if (answer.type === 'user') return answer
      if (answer.type === 'refused') refusal ??= answer
      answer = await method.authenticate(exchange)
    }
    if (answer.type === 'user') return answer
    return refusal ?? (answer.type === 'refused' ? answer : nobody)
  }

  return {
    authenticate(exchange) {
      let refusal: Authentication | undefined
      for (let at = 0; at < methods.length; at++) {
        const answer = methods[at]?.authenticate(exchange) ?? none
        if (answer instanceof Promise) return goOn(exchange, at, answer, refusal)
        if (answer.type === 'user') return answer
        if (answer.type === 'refused') refusal ??= answer
      }
      return refusal ?? nobody
    },
  }
}

/** Users are kept for as many certificates as this; then all are forgotten and made anew. */
const certificatesMax = 4096

/** Name = common name, groups = organizations, of the certificate that the transport verified. */
export function createCertificateAuthenticator(): Authenticator {
  const known = new Map<string, Authentication>()
  return {
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined || peerCertificate.commonName === '') return none
      let answer = known.get(peerCertificate.fingerprint256)
      if (answer === undefined) {
        answer = { type: 'user', user: certificateUser(peerCertificate) }
        if (known.size >= certificatesMax) known.clear()
        known.set(peerCertificate.fingerprint256, answer)
      }
      return answer
    },
  }
}

function certificateUser({ commonName, organizations }: PeerCertificate): User {
  return { name: commonName, uid: '', groups: withAuthenticated(organizations), extra: new Map() }
}

export function withAuthenticated(groups: readonly string[]): readonly string[] {
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup]
}

/** One kind of bearer token. `none`: not of this kind, or not known. */
export interface TokenAuthenticator {
  /** @param audiences whom the token must be for, any of them; absent = this server */
  authenticateToken(token: string, audiences?: readonly string[]): Authentication | Promise<Authentication>
}

/** The first kind that names a user; refused when none does, with the reasons of those that gave one. */
export function createTokenAuthenticators(kinds: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      const reasons: string[] = []
      let notes: CredentialNotes | undefined
      for (const kind of kinds) {
        const answer = await kind.authenticateToken(token, audiences)
        if (answer.type === 'user') return answer
        if (answer.type !== 'refused') continue
        notes ??= answer.notes
        if (answer.reason !== undefined) reasons.push(answer.reason)
      }
      if (reasons.length === 0) return refused
      return { type: 'refused', reason: reasons.join('; '), ...(notes === undefined ? {} : { notes }) }
    },
  }
}

/** `Authorization: Bearer <token>`. */
export function createBearerAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticate(exchange) {
      const token = bearerToken(exchange.header('authorization'))
      return token === undefined ? none : tokens.authenticateToken(token)
    },
  }
}

/** Tokens of a list: compared by digest, in a time that does not depend on the token. */
export function createStaticTokenAuthenticator(tokens: readonly TokenUser[]): TokenAuthenticator {
  const entries = tokens.map(({ token, user }) => ({
    digest: digestOf(token),
    answer: {
      type: 'user',
      user: { ...user, groups: withAuthenticated(user.groups), extra: new Map() },
    } satisfies Authentication,
  }))
  return {
    authenticateToken(token) {
      const digest = digestOf(token)
      let answer: Authentication = none
      for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) answer = entry.answer
      return answer
    },
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Undefined = no bearer token was sent; other schemes are not ours to judge. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^bearer +(\S+)/i.exec(header)
  return match?.[1]
}

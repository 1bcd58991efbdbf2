/** What is asked about the group, and what is answered, as values and as the text that travels. */
import { fail, ok, type Result } from '../contract.ts'

export interface MemberStatus {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly role: 'leader' | 'follower' | 'candidate' | 'learner'
  readonly term: number
  /** 0: none known. */
  readonly leader: number
  /** Log index. */
  readonly applied: number
  /** Entries between what this member knows to be committed and what it has applied. */
  readonly lag: number
  readonly revision: number
  readonly databaseBytes: number
}

/** A member as another one sees it; `status` absent: it does not answer. */
export interface MemberView {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly learner: boolean
  readonly status?: MemberStatus
}

export type ClusterRequest =
  /** Of the member asked → MemberStatus */
  | { readonly method: 'status' }
  /** Of all members → MemberView[] */
  | { readonly method: 'list' }
  /** A learner, which is made a voter when it has caught up → MemberView */
  | { readonly method: 'add'; readonly name: string; readonly address: string }
  /** By name or id → MemberView */
  | { readonly method: 'remove' | 'promote' | 'transfer'; readonly member: string }

/** `Refused`: nothing was changed. `Unknown`: the change may come yet. `message` is for the operator. */
export type ClusterFailure = { readonly code: 'Refused' | 'Unknown'; readonly message: string }

/** Nothing was changed, and why. */
export function refuse(message: string): Result<never, ClusterFailure> {
  return fail({ code: 'Refused', message })
}

/** Reads what {@link Cluster.answer} wrote. */
export function parseAnswer(text: string): Result<unknown, ClusterFailure> {
  const fields = objectOf(text)
  if (fields !== undefined && 'value' in fields) return ok(fields['value'])
  const code = fields?.['code'] === 'Unknown' ? 'Unknown' : 'Refused'
  return fail({ code, message: String(fields?.['message'] ?? 'no answer') })
}

/** Undefined when it is none. */
export function parseRequest(text: string): ClusterRequest | undefined {
  const { method, name, address, member } = objectOf(text) ?? {}
  switch (method) {
    case 'status':
    case 'list':
      return { method }
    case 'add':
      return typeof name === 'string' && typeof address === 'string' ? { method, name, address } : undefined
    case 'remove':
    case 'promote':
    case 'transfer':
      return typeof member === 'string' ? { method, member } : undefined
    default:
      return undefined
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined
  } catch {
    return undefined
  }
}

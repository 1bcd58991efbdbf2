/** What entries tell of an answer. */

import { isJsonObject } from '../json.ts'
import type { Answer, Outcome } from '../pipeline/answer.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import { toStatus } from '../status/status.ts'
import { payloadOf } from '../storage/shared-chunk.ts'
import type { ResponseStatus } from './event.ts'

export type SentAnswer = Exclude<Answer, { type: 'streaming' }>
type WholeAnswer = Extract<Answer, { type: 'body' }>

/** A body in another form as JSON text; undefined = it is of none that can be read. */
export type BodyReader = (contentType: string, body: Buffer) => string | undefined

/** What is said of it in a few words. */
export function statusOf(answer: SentAnswer, outcome: Outcome): ResponseStatus {
  if (!outcome.ok) {
    const { status, message, reason, details, code } = toStatus(outcome.failure)
    return { status, message, reason, details, code }
  }
  const { code } = answer
  return answer.type === 'body' ? { ...successIn(answer), code } : { code }
}

const successStart = /^\{\s*"kind":\s*"Status"/
const startBytes = 64

/** Operations that have no object to show answer with a `Status`. */
function successIn({ contentType, body }: WholeAnswer): ResponseStatus {
  if (!contentType.startsWith('application/json')) return {}
  if (!successStart.test(body.toString('latin1', 0, startBytes))) return {}
  const value: unknown = JSON.parse(body.toString('utf8'))
  if (!isJsonObject(value)) return {}
  const { status, details } = value
  return {
    ...(status === 'Success' ? { status } : {}),
    ...(isJsonObject(details) ? { details } : {}),
  }
}

/** Of a large one a copy: its pieces are gone once they have been sent. */
export function wholeAnswer(answer: SentAnswer): WholeAnswer {
  if (answer.type === 'body') return answer
  const { code, contentType, pieces } = answer
  return { type: 'body', code, contentType, body: Buffer.concat([...pieces].map(payloadOf)) }
}

/** Objects are answers about resources, what discovery says, and failures. */
export function showsObject(info: RequestInfo | undefined, outcome: Outcome): boolean {
  return !outcome.ok || info?.type === 'resource' || (info?.path.startsWith('/api') ?? false)
}

/** JSON text. */
export function objectIn({ contentType, body }: WholeAnswer, read: BodyReader): string | undefined {
  return contentType.startsWith('application/json') ? body.toString('utf8') : read(contentType, body)
}

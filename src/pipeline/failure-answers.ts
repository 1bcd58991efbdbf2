/** Failures in the form that the client asked for, as far as it can be given: else JSON, which everybody reads. */

import { createNegotiator } from '../codec/accept.ts'
import { encodeStatus } from '../codec/protobuf/documents.ts'
import type { MessageOf } from '../codec/protobuf/rendering.ts'
import type { Names } from '../names/names.ts'
import { type ApiFailure, toStatus } from '../status/status.ts'
import { type Answer, failureAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'

export type FailureAnswers = (failure: ApiFailure, exchange: Exchange) => Answer

export function createFailureAnswers(names: Names, messageOf: MessageOf): FailureAnswers {
  const { protobufMediaType: contentType } = names
  const negotiate = createNegotiator(names, { transforms: new Set(['none']), yaml: false, protobuf: true })
  return (failure, exchange) => {
    const answer = failureAnswer(failure)
    if (negotiate(exchange.header('accept'))?.encoding !== 'protobuf') return answer
    return { ...answer, contentType, body: encodeStatus(messageOf('meta/v1.Status'), toStatus(failure)) }
  }
}

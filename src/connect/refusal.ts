/** What the agent of a node says when it does not do what it is asked. */

import type { StreamedAnswer } from '../outside/outside.ts'
import { badRequest, internalError } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'

/** No more is read. */
const refusalBytesMax = 50_000

/** @param resource `pods/log` */
export async function refusalOf(answer: StreamedAnswer, resource: string, name: string): Promise<ApiFailure> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= refusalBytesMax) break
  }
  answer.abort()
  const text = Buffer.concat(chunks).subarray(0, refusalBytesMax).toString('utf8')
  const where = `( ${resource} ${name})`
  const { status } = answer
  switch (status) {
    case 400:
      return badRequest(text)
    case 401:
      return {
        reason: 'Unauthorized',
        message: `the server has asked for the client to provide credentials ${where}`,
      }
    case 403:
      return { reason: 'Forbidden', message: `${text} ${where}` }
    case 404:
      return { reason: 'NotFound', message: `the server could not find the requested resource ${where}` }
    case 500:
      return internalError(text)
    default:
      return {
        reason: 'InternalError',
        ...(status >= 500 ? {} : { saidReason: '' }),
        code: status,
        message:
          status > 500
            ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding ${where}`
            : `the server responded with the status code ${status} but did not return more information ${where}`,
      }
  }
}

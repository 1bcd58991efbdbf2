/**
 * The few calls that prepare and check a scenario; each on a connection of its own, since a server closes idle ones.
 */

import { isJsonObject, type JsonObject } from '../../src/json.ts'
import { Connection } from './connection.ts'
import { within } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'
import { buildRequest, type RequestParts } from './request.ts'

interface ApiAnswer {
  readonly status: number
  readonly body: Buffer
}

/** Rejects when the connection breaks before the answer has come. */
export async function call(endpoint: Endpoint, parts: RequestParts): Promise<ApiAnswer> {
  const connection = await Connection.open(endpoint)
  const pieces: Buffer[] = []
  try {
    const answered = new Promise<{ status: number }>((resolve, reject) => {
      connection.send(buildRequest(endpoint, parts), resolve, reject, (bytes, start, end) => {
        pieces.push(Buffer.from(bytes.subarray(start, end)))
      })
    })
    const { status } = await within(answered, `${parts.method} ${parts.target}`)
    return { status, body: Buffer.concat(pieces) }
  } finally {
    connection.close()
  }
}

/** Like {@link call}, and throws, with the start of the answer, on any other status than those expected. */
export async function callExpecting(
  endpoint: Endpoint,
  parts: RequestParts,
  ...expected: readonly number[]
): Promise<Buffer> {
  const { status, body } = await call(endpoint, parts)
  if (!expected.includes(status)) {
    const found = body.toString('utf8', 0, 300)
    throw new Error(`${parts.method} ${parts.target}: ${status}, expected ${expected.join(' or ')}: ${found}`)
  }
  return body
}

export function parseObject(body: Buffer): JsonObject {
  const value: unknown = JSON.parse(body.toString('utf8'))
  if (!isJsonObject(value)) throw new Error('the answer is no JSON object')
  return value
}

/** `metadata.<field>` of an object or a list, when it is a string. */
export function metadataField(object: JsonObject, field: string): string | undefined {
  const metadata = object['metadata']
  const value = isJsonObject(metadata) ? metadata[field] : undefined
  return typeof value === 'string' ? value : undefined
}

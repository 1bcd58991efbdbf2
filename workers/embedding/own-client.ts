/** What the program around an embedded control plane asks of it, over its own TLS listener: no way around the API. */

import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.ts'

export interface OwnClient {
  /**
   * Resolves to the answer's object. Rejects with an Error that says what was asked and what the server answered, for
   * every status but 2xx.
   */
  send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: Body): Promise<JsonObject>
  /** The events of a watch, as they come; breaking off the loop ends it. */
  watch(path: string): AsyncIterable<JsonObject>
  close(): void
}

interface Body {
  /** Its media type. */
  readonly type: string
  readonly text: string
}

interface OwnClientOptions {
  readonly url: string
  /** PEM text. */
  readonly ca: string
  readonly token: string
}

export function createOwnClient({ url, ca, token }: OwnClientOptions): OwnClient {
  const agent = new Agent({ keepAlive: true, ca })

  const open = (method: string, path: string, body?: Body) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) }),
      }
      const sent = request(new URL(path, url), { method, agent, headers })
      sent.once('response', (answer) => resolve(answer.setEncoding('utf8')))
      sent.once('error', reject)
      sent.end(body?.text)
    })

  return {
    async send(method, path, body) {
      const answer = await open(method, path, body)
      let text = ''
      for await (const chunk of answer) text += chunk
      const status = answer.statusCode ?? 0
      const found = parse(text)
      if (status >= 200 && status < 300 && found !== undefined) return found
      const said = typeof found?.['message'] === 'string' ? found['message'] : text
      throw new Error(`${method} ${path}: ${status}: ${said}`)
    },
    async *watch(path) {
      const answer = await open('GET', path)
      let rest = ''
      try {
        for await (const chunk of answer) {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const event = parse(line)
            if (event !== undefined) yield event
          }
        }
      } finally {
        answer.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const found: JsonValue = JSON.parse(text)
    return isJsonObject(found) ? found : undefined
  } catch {
    return undefined // an answer that is no JSON is shown as it came
  }
}

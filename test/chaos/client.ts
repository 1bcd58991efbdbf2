/** ConfigMaps over the HTTP API of one node, with a bound on patience and a name for every outcome. */

import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'

/** `refused`: certainly not done. `unknown`: may have happened, may still happen. */
export type Outcome =
  | { readonly type: 'answer'; readonly code: number; readonly body: unknown }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'unknown'; readonly why: string }

export interface NodeClient {
  readonly node: string
  call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body: object | undefined,
    patienceMs: number,
  ): Promise<Outcome>
  /** An answer without end. */
  stream(path: string, onAnswer: (answer: IncomingMessage) => void, onEnd: () => void): ClientRequest
  close(): void
}

interface Credentials {
  readonly ca: Buffer
  readonly cert: Buffer
  readonly key: Buffer
}

export function readCredentials(kubeconfigPath: string): Credentials {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64')
  const user = config.getCurrentUser()
  return {
    ca: decode(config.getCurrentCluster()?.caData),
    cert: decode(user?.certData),
    key: decode(user?.keyData),
  }
}

/** Answers that say that nothing was done: too many requests, no leader in time. */
const refusals: ReadonlySet<number> = new Set([429, 503])
/** Answers that say that nobody knows. */
const unknowns: ReadonlySet<number> = new Set([500, 502, 504])

export function createNodeClient(node: string, url: string, credentials: Credentials): NodeClient {
  const agent = new Agent({ keepAlive: true, ...credentials })
  return {
    node,
    call(method, path, body, patienceMs) {
      return new Promise((resolve) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const asked = request(
          `${url}${path}`,
          {
            method,
            agent,
            headers:
              text === undefined
                ? {}
                : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
            signal: AbortSignal.timeout(patienceMs),
          },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.on('error', (error) => resolve({ type: 'unknown', why: error.message }))
            answer.on('end', () =>
              resolve(outcomeOf(answer.statusCode ?? 0, Buffer.concat(chunks).toString())),
            )
          },
        )
        asked.on('error', (error) => {
          const code = 'code' in error ? String(error.code) : error.message
          resolve({ type: code === 'ECONNREFUSED' ? 'refused' : 'unknown', why: code })
        })
        asked.end(text)
      })
    },
    stream(path, onAnswer, onEnd) {
      const asked = request(`${url}${path}`, { agent: false, ...credentials }, (answer) => {
        answer.on('error', () => answer.destroy())
        answer.on('close', onEnd)
        onAnswer(answer)
      })
      asked.on('error', onEnd)
      asked.end()
      return asked
    },
    close: () => agent.destroy(),
  }
}

function outcomeOf(code: number, text: string): Outcome {
  const why = `${code} ${text.slice(0, 200)}`
  if (refusals.has(code)) return { type: 'refused', why }
  if (unknowns.has(code)) return { type: 'unknown', why }
  return { type: 'answer', code, body: JSON.parse(text) }
}

/** What the tests need of a ConfigMap. */
export interface Item {
  readonly name: string
  readonly revision: number
  /** `data.value`; 0 where there is none. */
  readonly value: number
}

export const collection = '/api/v1/namespaces/default/configmaps'

export function configMap(name: string, value: number, guard?: number): object {
  const metadata = guard === undefined ? { name } : { name, resourceVersion: String(guard) }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: String(value) } }
}

interface Wire {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string }
  readonly data?: { readonly value?: string }
}

/** Only of answers of the server under test: a missing field shows as a violation later. */
export function itemOf(object: unknown): Item {
  const { metadata, data } = (object ?? {}) as Wire
  return {
    name: metadata?.name ?? '',
    revision: Number(metadata?.resourceVersion ?? -1),
    value: Number(data?.value ?? 0),
  }
}

/** Objects that the tests made; the server has its own beside. */
export function isOurs({ name }: Item): boolean {
  return /^[crp]-/.test(name)
}

export function listOf(body: unknown): { readonly revision: number; readonly items: readonly Item[] } {
  const { items } = (body ?? {}) as { readonly items?: readonly unknown[] }
  return { revision: itemOf(body).revision, items: (items ?? []).map(itemOf).filter(isOurs) }
}

/** What is read off the answers, and the errors, of Node's HTTP client. */

import type { IncomingMessage } from 'node:http'

export function headersOf(answer: IncomingMessage): ReadonlyMap<string, string> {
  return new Map(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
}

/** Codes alone: messages of the libraries below may quote what they were given. */
export function codeOf(error: unknown): string {
  const code = errorCode(error)
  return code === '' ? (error instanceof Error ? error.name : 'an unknown error') : code
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A story: requests in order and what each must answer. Stories are data; `runner.ts` tells them. */

import type { Body, SuiteNames, TestRequest } from './server-under-test.ts'

/** In a pattern: the member must not be there. */
export const absent = Symbol('absent')

/**
 * What a JSON answer must look like: objects by the members named, arrays whole, strings by value or by pattern.
 * `{name}` in a string stands for a saved value.
 */
export type Pattern =
  | null
  | boolean
  | number
  | string
  | RegExp
  | typeof absent
  | readonly Pattern[]
  | { readonly [member: string]: Pattern }

export interface Step {
  /** `POST /api/v1/namespaces/{ns}/configmaps`; `{ns}` is a namespace of the story's own. */
  readonly send: string
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly as?: TestRequest['as']
  readonly status: number
  readonly json?: Pattern
  /** Parts that the text of the answer must hold. */
  readonly text?: readonly string[]
  /** Lower-case names. */
  readonly answerHeaders?: { readonly [name: string]: string | RegExp | typeof absent }
  /** Keeps values for later steps: name → path in the JSON answer (`metadata.resourceVersion`). */
  readonly save?: Readonly<Record<string, string>>
}

export interface Story {
  readonly name: string
  readonly steps: readonly Step[]
}

export type StoryMaker = (names: SuiteNames) => readonly Story[]

export const mergePatch = { 'content-type': 'application/merge-patch+json' }
export const jsonPatch = { 'content-type': 'application/json-patch+json' }
export const applyPatch = { 'content-type': 'application/apply-patch+yaml' }
export const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' }

/** What a failure looks like. */
export function failure(code: number, reason: string, message: string | RegExp): Pattern {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, code }
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
}

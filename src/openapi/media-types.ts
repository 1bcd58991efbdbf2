/** In which forms the bodies and answers of an operation are taken and given. */

import type { Names } from '../names/names.ts'
import type { Operation } from './operations.ts'

interface MediaTypes {
  readonly body: readonly string[]
  readonly answer: readonly string[]
}

const texts = ['application/json', 'application/yaml']
const customPatches = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
]
const patches = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]
const anything = ['*/*']

export function mediaTypesOf({ body, answer, isCustom }: Operation, names: Names): MediaTypes {
  const isPatch = body === 'patch'
  if (isCustom) return { body: isPatch ? customPatches : texts, answer: texts }
  const { protobufMediaType } = names
  const all = [...texts, protobufMediaType]
  const streams = ['application/json;stream=watch', `${protobufMediaType};stream=watch`]
  return { body: isPatch ? patches : anything, answer: answer === 'list' ? [...all, ...streams] : all }
}

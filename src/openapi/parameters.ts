/** The parameters of the API's operations. Source: specification, "Query parameters". */

import type { JsonObject } from '../json.ts'

type ParameterType = 'string' | 'boolean' | 'integer'

interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: ParameterType
  readonly description: string
}

function query(name: string, type: ParameterType, description: string): Parameter {
  return { name, in: 'query', type, description }
}

const pretty = query('pretty', 'string', "If 'true', the answer is indented for people to read.")

const dryRun = query('dryRun', 'string', "With 'All' every stage runs but nothing is stored.")
const fieldManager = query(
  'fieldManager',
  'string',
  'The name under which changed fields are owned: at most 128 printable characters.',
)
const fieldValidation = query(
  'fieldValidation',
  'string',
  "What happens to unknown or duplicate fields: 'Ignore' drops them, 'Warn' drops them and warns, 'Strict' refuses the request.",
)

export const readParameters: readonly Parameter[] = [pretty]

export const listParameters: readonly Parameter[] = [
  pretty,
  query('allowWatchBookmarks', 'boolean', 'A watch may receive events of type BOOKMARK.'),
  query('continue', 'string', 'The token of the previous page.'),
  query('fieldSelector', 'string', 'Only objects whose fields match.'),
  query('labelSelector', 'string', 'Only objects whose labels match.'),
  query('limit', 'integer', 'The most items of one page.'),
  query('resourceVersion', 'string', 'Constrains the version that is read.'),
  query('resourceVersionMatch', 'string', "How resourceVersion constrains it: 'Exact' or 'NotOlderThan'."),
  query('sendInitialEvents', 'boolean', 'A watch begins with the state, then a bookmark, then changes.'),
  query('timeoutSeconds', 'integer', 'Ends a list or watch after this time, whatever it does.'),
  query('watch', 'boolean', 'Answers with a stream of changes instead of a list.'),
]

export const writeParameters: readonly Parameter[] = [pretty, dryRun, fieldManager, fieldValidation]

export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  query('force', 'boolean', 'An apply takes the fields that other managers own instead of conflicting.'),
]

export const deleteParameters: readonly Parameter[] = [
  pretty,
  dryRun,
  query('gracePeriodSeconds', 'integer', 'Time for the object to end by itself; 0 removes it at once.'),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
  query('propagationPolicy', 'string', "What happens to dependents: 'Orphan', 'Background' or 'Foreground'."),
]

export const deleteCollectionParameters: readonly Parameter[] = [
  ...deleteParameters,
  ...listParameters.filter(({ name }) => !['pretty', 'watch', 'allowWatchBookmarks'].includes(name)),
]

export const nameParameter: Parameter = {
  name: 'name',
  in: 'path',
  type: 'string',
  description: 'Name of the object.',
}
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'Namespace of the object.',
}

/** The parameter in version 3 of the format. */
export function parameterVersion3({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }
}

/** The parameter in version 2 of the format. */
export function parameterVersion2({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    type,
    uniqueItems: true,
  }
}

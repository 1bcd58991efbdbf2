/** Widgets to store, and a storage over a store in memory. */

import { jsonFrames } from '../../../src/codec/rendering.ts'
import { wholeObjects } from '../../../src/codec/shape.ts'
import type {
  CachedObject,
  ObjectName,
  Requirement,
  ResourceStorage,
  Selector,
} from '../../../src/storage/contract.ts'
import { encodeRecord } from '../../../src/storage/record.ts'
import { parseFieldSelector } from '../../../src/storage/selector/field-selector.ts'
import { parseLabelSelector } from '../../../src/storage/selector/label-selector.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import type { Result } from '../../../store/contract.ts'

export const widgets = { prefix: 'example/widgets', version: { group: 'example.org', version: 'v1' } }
export const representation = jsonFrames(
  wholeObjects({
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    listKind: 'WidgetList',
    isStorageVersion: true,
    fromStorage: (object) => object,
  }),
  'cluster.io/initial-events-end',
)

export interface WidgetInput {
  readonly labels?: Record<string, string>
  readonly color?: string
  readonly padding?: string
}

function widget(
  { namespace, name }: ObjectName,
  { labels, color = '', padding = '' }: WidgetInput = {},
): ApiObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: `uid-${name}`,
      ...(labels === undefined ? {} : { labels }),
    },
    spec: { color, padding },
  }
}

export function newRecord(name: ObjectName, input: WidgetInput = {}) {
  return encodeRecord({ object: widget(name, input), fields: { 'spec.color': input.color ?? '' } })
}

/** The value, where a test expects success. */
export function value<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`unexpected failure: ${JSON.stringify(result.failure)}`)
  return result.value
}

/** The failure, where a test expects one. */
export function failure<F>(result: Result<unknown, F>): F {
  if (result.ok) throw new Error('unexpected success')
  return result.failure
}

export function select(labels = '', fields = ''): Selector {
  return { labels: value(parseLabelSelector(labels)), fields: value(parseFieldSelector(fields)) }
}

export function names(objects: readonly CachedObject[]): readonly string[] {
  return objects.map((object) => `${object.namespace}/${object.name}@${object.revision}`)
}

export async function createWidget(
  storage: ResourceStorage,
  at: string,
  input: WidgetInput = {},
): Promise<CachedObject> {
  const name = parseName(at)
  return value(await storage.create(name, newRecord(name, input)))
}

export async function replaceWidget(
  storage: ResourceStorage,
  base: CachedObject,
  input: WidgetInput,
): Promise<CachedObject> {
  return value(await storage.replace(base, base.revision, newRecord(base, input)))
}

/** `a/b` is b in namespace a; `b` is cluster-scoped. */
export function parseName(at: string): ObjectName {
  const [first = '', second] = at.split('/')
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second }
}

export type { Requirement }

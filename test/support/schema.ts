/**
 * Messages made by hand, in a few words:
 *
 *     message('Widget', { spec: message('Spec', { size: 'int32', ports: keyed(['port'], { port: 'int32' }) }) })
 */

import type { Field, MapType, MessageType, ScalarType, ValueType } from '../../src/schema/descriptor.ts'

type Options = Partial<
  Pick<
    Field,
    | 'listType'
    | 'listMapKeys'
    | 'mapType'
    | 'patchStrategy'
    | 'patchMergeKey'
    | 'default'
    | 'required'
    | 'pointer'
    | 'omitEmpty'
  >
>

/** A type, and what is said about the field that has it. */
interface FieldSpec extends Options {
  readonly type: ValueType
}

type Fields = Readonly<Record<string, ScalarType | MessageType | FieldSpec>>

export function message(
  name: string,
  fields: Fields,
  options: { readonly root?: boolean; readonly structType?: MapType } = {},
): MessageType {
  const list = Object.entries(fields).map(([fieldName, spec], index) => fieldOf(fieldName, spec, index + 1))
  return {
    id: `test/v1.${name}`,
    name,
    root: options.root ?? false,
    fields: list,
    jsonFields: new Map(list.map((field) => [field.name, field])),
    ...(options.structType === undefined ? {} : { structType: options.structType }),
    jsonOnly: false,
  }
}

function fieldOf(name: string, spec: ScalarType | MessageType | FieldSpec, number: number): Field {
  const { type, ...options } = specOf(spec)
  return {
    name,
    protoName: name,
    number,
    type,
    required: false,
    omitEmpty: true,
    pointer: type.kind === 'message',
    inline: false,
    nullable: false,
    defaultPublished: options.default !== undefined,
    enumOpen: false,
    unionDiscriminator: false,
    ...options,
  }
}

function specOf(spec: ScalarType | MessageType | FieldSpec): FieldSpec {
  if (typeof spec === 'string') return { type: scalar(spec) }
  return 'id' in spec ? { type: { kind: 'message', message: spec } } : spec
}

function scalar(type: ScalarType): ValueType {
  return { kind: 'scalar', scalar: type }
}

function valueType(type: ScalarType | MessageType): ValueType {
  return typeof type === 'string' ? scalar(type) : { kind: 'message', message: type }
}

export function field(type: ScalarType | MessageType, options: Options): FieldSpec {
  return { type: valueType(type), ...options }
}

export function map(value: ScalarType | MessageType, options: Options = {}): FieldSpec {
  return { type: { kind: 'map', value: valueType(value) }, ...options }
}

export function list(element: ScalarType | MessageType, options: Options = {}): FieldSpec {
  return { type: { kind: 'list', element: valueType(element) }, ...options }
}

export function setOfStrings(): FieldSpec {
  return list('string', { listType: 'set', patchStrategy: ['merge'] })
}

/** A list map; strategic merge by the first key. */
export function keyed(keys: readonly string[], element: MessageType, options: Options = {}): FieldSpec {
  const [patchMergeKey = ''] = keys
  return list(element, {
    listType: 'map',
    listMapKeys: keys,
    patchStrategy: ['merge'],
    patchMergeKey,
    ...options,
  })
}

export const metadata = message('ObjectMeta', {
  name: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int64',
  creationTimestamp: field('time', { omitEmpty: true }),
  labels: map('string'),
  annotations: map('string'),
  ownerReferences: keyed(
    ['uid'],
    message('OwnerReference', { uid: 'string', name: 'string' }, { structType: 'atomic' }),
  ),
  finalizers: setOfStrings(),
  managedFields: list('json', { listType: 'atomic' }),
})

/** A root message with metadata. */
export function kindOf(name: string, fields: Fields): MessageType {
  return message(name, { metadata: field(metadata, { pointer: false }), ...fields }, { root: true })
}

/** What expressions would see of the objects of a resource if these were no more than their schema says. */

import { type CelType, cel } from '../../../cel/expression.ts'
import type { ListIdentity, ObjectField } from '../../../cel/types.ts'
import { declare } from '../../../crd/rules/declare.ts'
import { escapeName } from '../../../crd/rules/escape.ts'
import type { Field, MessageType, ScalarType, ValueType } from '../../../schema/descriptor.ts'
import type { ResourceType } from '../../../types/resource.ts'

/** `dyn` where nothing is known of them. */
export function typeOfResource({ message, kind }: Pick<ResourceType, 'message' | 'kind'>): CelType {
  const { structural } = message
  if (structural === undefined) return typeOfMessage(message)
  const declared = declare(structural, true, kind)?.type
  const metadata = message.jsonFields.get('metadata')?.type
  if (declared?.kind !== 'object' || metadata === undefined) return cel.dyn
  // The schema of a definition says nothing of the metadata that every object has.
  return { ...declared, fields: new Map([...declared.fields, ['metadata', { type: typeOf(metadata) }]]) }
}

/** Messages may mention themselves. */
const known = new WeakMap<MessageType, CelType>()

function typeOfMessage(message: MessageType): CelType {
  if (message.jsonForm !== undefined) return cel.dyn
  const made = known.get(message)
  if (made !== undefined) return made
  const fields = new Map<string, ObjectField>()
  const type: CelType = { kind: 'object', name: message.id, fields }
  known.set(message, type)
  if (message.root) for (const name of ['apiVersion', 'kind']) fields.set(name, { type: cel.string })
  for (const [name, field] of message.jsonFields) {
    const spelled = escapeName(name)
    if (spelled !== undefined) fields.set(spelled, { type: typeOfField(field), optional: !field.required })
  }
  return type
}

function typeOfField({ type, listType, listMapKeys = [] }: Field): CelType {
  if (type.kind !== 'list') return typeOf(type)
  return cel.list(typeOf(type.element), identityOf(listType, listMapKeys))
}

function identityOf(listType: Field['listType'], keys: readonly string[]): ListIdentity | undefined {
  if (listType === 'set') return { by: 'element' }
  return listType === 'map' ? { by: 'keys', keys } : undefined
}

function typeOf(type: ValueType): CelType {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.scalar]
    case 'message':
      return typeOfMessage(type.message)
    case 'list':
      return cel.list(typeOf(type.element))
    case 'map':
      return cel.map(cel.string, typeOf(type.value))
  }
}

const scalars: Readonly<Record<ScalarType, CelType>> = {
  string: cel.string,
  bool: cel.bool,
  int32: cel.int,
  int64: cel.int,
  double: cel.double,
  bytes: cel.bytes,
  // a number or a text
  quantity: cel.dyn,
  intOrString: cel.dyn,
  time: cel.timestamp,
  microTime: cel.timestamp,
  rawExtension: cel.dyn,
  json: cel.dyn,
}

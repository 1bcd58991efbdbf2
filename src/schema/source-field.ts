/** One field of a message, packed. What its options mean: `src/types/options.proto`. Build step only. */

import protobuf from 'protobufjs'
import type { JsonValue } from '../json.ts'
import { flags, type PackedField, type PackedFieldExtras } from './packed.ts'
import { type Options, textOf, words } from './source-options.ts'
import { leafTypes } from './source-types.ts'

/** @param messageId of the field's type, or of its values where it is repeated or a map */
export function packField(
  field: protobuf.Field,
  options: Options,
  messageId: string,
  problem: (what: string) => void,
): PackedField {
  const required = options.get('(required)') === true
  const omitEmpty = options.get('(omitEmpty)')
  const inline = options.get('(inline)') === true
  const map = field instanceof protobuf.MapField
  if (map && field.keyType !== 'string') problem(`map keys must be string, not ${field.keyType}`)
  const published = options.get('(publishedDefault)')
  const bits =
    (required ? flags.required : 0) |
    ((omitEmpty === undefined ? !required && !inline : omitEmpty === true) ? flags.omitEmpty : 0) |
    (field.options?.['proto3_optional'] === true ? flags.pointer : 0) |
    (inline ? flags.inline : 0) |
    (options.has('(openEnum)') ? flags.enumOpen : 0) |
    (options.get('(discriminator)') === true ? flags.unionDiscriminator : 0) |
    (published === undefined ? 0 : flags.defaultPublished)
  const name = textOf(options.get('json_name') ?? field.name)
  const type = `${field.repeated ? '[]' : map ? '{}' : ''}${messageId}`
  const extras = packExtras(field, name, options, problem)
  const packed: PackedField = [name, field.id, type, bits]
  if (Object.keys(extras).length > 0) packed.push(extras)
  return packed
}

function packExtras(
  field: protobuf.Field,
  name: string,
  options: Options,
  problem: (what: string) => void,
): PackedFieldExtras {
  const extras: PackedFieldExtras = {}
  if (name !== field.name) extras.protoName = field.name
  const keys = words(options.get('(key)'))
  const listType = options.get('(listType)')
  if (!field.repeated && (keys.length > 0 || listType !== undefined))
    problem('key and listType are for repeated fields')
  if (keys.length > 0) {
    extras.listType = 'map'
    extras.listMapKeys = keys
  } else if (field.repeated && listType !== 'unset') {
    extras.listType = listType === 'set' ? 'set' : 'atomic'
  }
  const mapType = options.get('(mapType)')
  if (mapType !== undefined) extras.mapType = mapType === 'atomic' ? 'atomic' : 'granular'
  const patch = options.get('(patch)')
  const patchKey = options.get('(patchKey)') ?? (patch === 'none' ? undefined : keys[0])
  if (patch !== undefined && patch !== 'none') extras.patchStrategy = patchStrategies(words(patch), problem)
  else if (patch === undefined && keys.length > 0) extras.patchStrategy = ['merge']
  if (patchKey !== undefined) extras.patchMergeKey = textOf(patchKey)
  const fallback = options.get('(default)') ?? options.get('(publishedDefault)')
  if (fallback !== undefined) extras.default = defaultOf(field, fallback, problem)
  const values = options.get('(enum)') ?? options.get('(openEnum)')
  if (values !== undefined) extras.enum = textOf(values).split(',')
  const gate = options.get('(featureGate)')
  if (gate !== undefined) extras.featureGate = textOf(gate)
  return extras
}

function patchStrategies(
  strategies: string[],
  problem: (what: string) => void,
): ('merge' | 'replace' | 'retainKeys')[] {
  return strategies.flatMap((strategy) => {
    if (strategy === 'merge' || strategy === 'replace' || strategy === 'retainKeys') return [strategy]
    problem(`unknown patch strategy ${strategy}`)
    return []
  })
}

/** The default as a value of the field's type; JSON text stands for lists and objects. */
function defaultOf(field: protobuf.Field, value: JsonValue, problem: (what: string) => void): JsonValue {
  const structured = field.repeated || field instanceof protobuf.MapField || !leafTypes.has(field.type)
  if (structured && typeof value === 'string') {
    try {
      const parsed: unknown = JSON.parse(value)
      return parsed as JsonValue
    } catch {
      problem(`default is not JSON: ${value}`)
      return null
    }
  }
  const expected: Readonly<Record<string, string>> = {
    string: 'string',
    bool: 'boolean',
    int32: 'number',
    int64: 'number',
  }
  const wanted = structured ? 'object' : expected[field.type]
  if (wanted !== undefined && typeof value !== wanted)
    problem(`default ${JSON.stringify(value)} is not a ${wanted}`)
  return value
}

/**
 * The messages of a server as objects, made from their packed form piece by piece: a package is loaded when one of its
 * messages is first looked into, and a message is unpacked when its fields are first asked for. So a start costs
 * nothing for what is not used, and messages may refer to themselves.
 */

import { isJsonObject, type JsonValue } from '../json.ts'
import type { Field, JsonForm, MapType, MessageType, ScalarType, ValueType } from './descriptor.ts'
import { flags, type PackedField, type PackedMessage, type PackedPackage } from './packed.ts'

export interface Schemas {
  /** By id, `core/v1.PodSpec`. A bug (throws) when there is none. */
  message(id: string): MessageType
  /** The same, but a wrong id fails at the first use of the message: nothing is loaded yet. */
  reference(id: string): MessageType
}

interface SchemasOptions {
  /** The packed messages of a package (`core/v1`); called once for each. */
  load(packageId: string): PackedPackage
  /** Replaces the placeholders of the dialect in texts. */
  expand(template: string): string
}

const scalarTypes: ReadonlySet<string> = new Set<ScalarType>([
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'rawExtension',
  'json',
])

function isScalar(type: string): type is ScalarType {
  return scalarTypes.has(type)
}

export function createSchemas(options: SchemasOptions): Schemas {
  const packages = new Map<string, PackedPackage>()
  const messages = new Map<string, LazyMessage>()

  function unpackedOf(id: string): PackedMessage {
    const dot = id.lastIndexOf('.')
    const packageId = id.slice(0, dot)
    let loaded = packages.get(packageId)
    if (loaded === undefined) {
      loaded = options.load(packageId)
      packages.set(packageId, loaded)
    }
    const packed = Object.hasOwn(loaded, id.slice(dot + 1)) ? loaded[id.slice(dot + 1)] : undefined
    if (packed === undefined) throw new TypeError(`no message ${id}`)
    return packed
  }

  function reference(id: string): LazyMessage {
    let message = messages.get(id)
    if (message === undefined) {
      message = new LazyMessage(id, () => unpackedOf(id), fieldOf)
      messages.set(id, message)
    }
    return message
  }

  function elementType(type: string): ValueType {
    if (isScalar(type)) return { kind: 'scalar', scalar: type }
    const message = reference(type)
    if (message.jsonForm !== 'list') return { kind: 'message', message }
    const items = message.fields[0]
    if (items?.type.kind !== 'list') throw new TypeError(`${type} is not a list of one field`)
    return { kind: 'list', element: items.type.element, wrapper: message }
  }

  function valueType(type: string): ValueType {
    if (type.startsWith('[]')) return { kind: 'list', element: elementType(type.slice(2)) }
    if (type.startsWith('{}')) return { kind: 'map', value: elementType(type.slice(2)) }
    return elementType(type)
  }

  function fieldOf([name, number, type, bits, extras = {}]: PackedField): Field {
    const { default: fallback, enum: values, protoName, ...rest } = extras
    return {
      name,
      protoName: protoName ?? name,
      number,
      type: valueType(type),
      required: (bits & flags.required) !== 0,
      omitEmpty: (bits & flags.omitEmpty) !== 0,
      pointer: (bits & flags.pointer) !== 0,
      inline: (bits & flags.inline) !== 0,
      nullable: false,
      enumOpen: (bits & flags.enumOpen) !== 0,
      unionDiscriminator: (bits & flags.unionDiscriminator) !== 0,
      defaultPublished: (bits & flags.defaultPublished) !== 0,
      ...(fallback === undefined ? {} : { default: expandAll(fallback, options.expand) }),
      ...(values === undefined ? {} : { enum: values.map(options.expand) }),
      ...rest,
    }
  }

  return {
    reference,
    message(id) {
      const message = reference(id)
      // A wrong id shall fail here, not at its first use.
      unpackedOf(id)
      return message
    },
  }
}

class LazyMessage implements MessageType {
  readonly id: string
  readonly name: string
  readonly #load: () => PackedMessage
  readonly #field: (packed: PackedField) => Field
  #packed: PackedMessage | undefined
  #fields: readonly Field[] | undefined
  #jsonFields: ReadonlyMap<string, Field> | undefined

  constructor(id: string, load: () => PackedMessage, field: (packed: PackedField) => Field) {
    this.id = id
    this.name = id.slice(id.lastIndexOf('.') + 1)
    this.#load = load
    this.#field = field
  }

  get #unpacked(): PackedMessage {
    this.#packed ??= this.#load()
    return this.#packed
  }

  get root(): boolean {
    return this.#unpacked.root === true
  }

  get structType(): MapType | undefined {
    return this.#unpacked.structType
  }

  get jsonForm(): JsonForm | undefined {
    return this.#unpacked.jsonForm
  }

  get jsonOnly(): boolean {
    return this.#unpacked.jsonOnly === true
  }

  get fields(): readonly Field[] {
    this.#fields ??= this.#unpacked.fields.map((packed) => this.#field(packed))
    return this.#fields
  }

  get jsonFields(): ReadonlyMap<string, Field> {
    this.#jsonFields ??= flatten(this.fields, new Map())
    return this.#jsonFields
  }
}

function flatten(fields: readonly Field[], into: Map<string, Field>): Map<string, Field> {
  for (const field of fields) {
    if (field.inline && field.type.kind === 'message') flatten(field.type.message.fields, into)
    else into.set(field.name, field)
  }
  return into
}

function expandAll(value: JsonValue, expand: (template: string) => string): JsonValue {
  if (typeof value === 'string') return expand(value)
  if (Array.isArray(value)) return value.map((element: JsonValue) => expandAll(element, expand))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      member === undefined ? null : expandAll(member, expand),
    ]),
  )
}

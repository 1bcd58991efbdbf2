/**
 * Turns the `.proto` sources into their packed form, and says what is wrong with them. Used by the build step and by
 * tests only: the running server never loads the parser.
 *
 * What the options mean is said in `src/types/options.proto`.
 */

import protobuf from 'protobufjs'
import type { Result } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import type { JsonForm } from './descriptor.ts'
import {
  flags,
  type PackedDescriptions,
  type PackedField,
  type PackedFieldExtras,
  type PackedIndex,
  type PackedMessage,
  type PackedPackage,
} from './packed.ts'
import { textOf, words } from './source-options.ts'
import { checkReferences } from './source-references.ts'
import { packResource } from './source-resource.ts'
import { leafTypes } from './source-types.ts'

export interface SchemaSources {
  /** Text of `options.proto`: the options that may be used. */
  readonly options: string
  /** Package id (`core/v1`) → text of its file. */
  readonly packages: ReadonlyMap<string, string>
}

export interface PackedSchemas {
  readonly index: PackedIndex
  readonly packages: ReadonlyMap<string, PackedPackage>
  readonly descriptions: PackedDescriptions
}

const jsonForms: readonly string[] = ['list', 'schemaOrList', 'schemaOrBool', 'schemaOrStrings']

type Options = ReadonlyMap<string, JsonValue>

/** Parses and checks all sources. Problems: every one found, as `file: Message.field: what`. */
export function compileSources(sources: SchemaSources): Result<PackedSchemas, readonly string[]> {
  const problems: string[] = []
  const known = knownOptions(sources.options)
  const index: PackedIndex = { packages: {}, resources: [] }
  const packages = new Map<string, PackedPackage>()
  const descriptions: PackedDescriptions = {}
  for (const [id, text] of [...sources.packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = new SourceFile(id, known, problems)
    const packed = file.compile(text, index, descriptions)
    if (packed !== undefined) packages.set(id, packed)
  }
  checkReferences(packages, index, problems)
  if (problems.length > 0) return { ok: false, failure: problems }
  return { ok: true, value: { index, packages, descriptions } }
}

/** Names that `options.proto` declares, by what they extend: `FieldOptions` → `(required)`, … */
function knownOptions(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Map<string, Set<string>>()
  for (const extension of protobuf.parse(text, { keepCase: true }).root.nestedArray) {
    if (!(extension instanceof protobuf.Field)) continue
    const target = (extension.extend ?? '').split('.').at(-1) ?? ''
    known.set(target, (known.get(target) ?? new Set()).add(`(${extension.name})`))
  }
  return known
}

class SourceFile {
  readonly id: string
  private readonly known: ReadonlyMap<string, ReadonlySet<string>>
  private readonly problems: string[]

  constructor(id: string, known: ReadonlyMap<string, ReadonlySet<string>>, problems: string[]) {
    this.id = id
    this.known = known
    this.problems = problems
  }

  compile(text: string, index: PackedIndex, descriptions: PackedDescriptions): PackedPackage | undefined {
    const proto = this.parse(text)
    if (proto === undefined) return undefined
    const [, version = ''] = this.id.split('/')
    const dotted = this.id.replace('/', '.')
    if (proto.package !== dotted) this.problem('', `package is ${proto.package}, the place says ${dotted}`)
    const namespace = proto.root.lookup(proto.package ?? '')
    if (!(namespace instanceof protobuf.Namespace)) return undefined
    const options = this.options(namespace, '', 'FileOptions')
    index.packages[this.id] = {
      group: textOf(options.get('(group)')),
      version,
      servedByDefault: options.get('(servedByDefault)') === true || !/alpha|beta/.test(version),
    }
    const packed: PackedPackage = {}
    for (const type of namespace.nestedArray) {
      if (!(type instanceof protobuf.Type)) {
        this.problem(type.name, 'only messages are expected here')
        continue
      }
      this.message(type, packed, index)
      const described = comments(type)
      if (Object.keys(described).length > 0) descriptions[`${this.id}.${type.name}`] = described
    }
    return packed
  }

  private parse(text: string): protobuf.IParserResult | undefined {
    try {
      return protobuf.parse(text, { keepCase: true, alternateCommentMode: true })
    } catch (error) {
      this.problem('', error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  private message(type: protobuf.Type, packed: PackedPackage, index: PackedIndex): void {
    const options = this.options(type, type.name, 'MessageOptions')
    const message: PackedMessage = {
      fields: type.fieldsArray.map((field) => this.field(field, `${type.name}.${field.name}`)),
    }
    if (options.get('(root)') === true) message.root = true
    if (options.get('(structType)') === 'atomic') message.structType = 'atomic'
    if (options.get('(jsonOnly)') === true) message.jsonOnly = true
    const form = options.get('(jsonForm)')
    if (form !== undefined) message.jsonForm = this.jsonForm(form, type.name)
    packed[type.name] = message
    const resource = options.get('(resource)')
    if (resource === undefined) return
    message.root = true
    const packedResource = packResource(
      resource,
      `${this.id}.${type.name}`,
      (kind) => this.messageId(kind),
      (what) => this.problem(type.name, what),
    )
    index.resources.push(packedResource)
    if (packedResource.verbs.includes('list')) packed[`${type.name}List`] = listOf(packedResource.message)
  }

  private jsonForm(form: JsonValue, place: string): JsonForm {
    if (!jsonForms.includes(textOf(form))) this.problem(place, `unknown jsonForm ${JSON.stringify(form)}`)
    return textOf(form) as JsonForm
  }

  private field(field: protobuf.Field, place: string): PackedField {
    const options = this.options(field, place, 'FieldOptions')
    const required = options.get('(required)') === true
    const omitEmpty = options.get('(omitEmpty)')
    const inline = options.get('(inline)') === true
    const map = field instanceof protobuf.MapField
    if (map && field.keyType !== 'string')
      this.problem(place, `map keys must be string, not ${field.keyType}`)
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
    const type = `${field.repeated ? '[]' : map ? '{}' : ''}${this.messageId(field.type)}`
    const extras = this.extras(field, name, options, place)
    const packed: PackedField = [name, field.id, type, bits]
    if (Object.keys(extras).length > 0) packed.push(extras)
    return packed
  }

  private extras(field: protobuf.Field, name: string, options: Options, place: string): PackedFieldExtras {
    const extras: PackedFieldExtras = {}
    if (name !== field.name) extras.protoName = field.name
    const keys = words(options.get('(key)'))
    const listType = options.get('(listType)')
    if (!field.repeated && (keys.length > 0 || listType !== undefined))
      this.problem(place, 'key and listType are for repeated fields')
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
    if (patch !== undefined && patch !== 'none') extras.patchStrategy = this.patch(words(patch), place)
    else if (patch === undefined && keys.length > 0) extras.patchStrategy = ['merge']
    if (patchKey !== undefined) extras.patchMergeKey = textOf(patchKey)
    const fallback = options.get('(default)') ?? options.get('(publishedDefault)')
    if (fallback !== undefined) extras.default = this.fallback(field, fallback, place)
    const values = options.get('(enum)') ?? options.get('(openEnum)')
    if (values !== undefined) extras.enum = textOf(values).split(',')
    const gate = options.get('(featureGate)')
    if (gate !== undefined) extras.featureGate = textOf(gate)
    return extras
  }

  private patch(strategies: string[], place: string): ('merge' | 'replace' | 'retainKeys')[] {
    return strategies.flatMap((strategy) => {
      if (strategy === 'merge' || strategy === 'replace' || strategy === 'retainKeys') return [strategy]
      this.problem(place, `unknown patch strategy ${strategy}`)
      return []
    })
  }

  /** The default as a value of the field's type; JSON text stands for lists and objects. */
  private fallback(field: protobuf.Field, value: JsonValue, place: string): JsonValue {
    const structured = field.repeated || field instanceof protobuf.MapField || !leafTypes.has(field.type)
    if (structured && typeof value === 'string') {
      try {
        const parsed: unknown = JSON.parse(value)
        return parsed as JsonValue
      } catch {
        this.problem(place, `default is not JSON: ${value}`)
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
      this.problem(place, `default ${JSON.stringify(value)} is not a ${wanted}`)
    return value
  }

  /** `Pod` → `core/v1.Pod`, `meta.v1.ObjectMeta` → `meta/v1.ObjectMeta`, `Time` → `time`. */
  private messageId(type: string): string {
    const scalar = leafTypes.get(type)
    if (scalar !== undefined) return scalar
    const parts = type.split('.')
    if (parts.length !== 3) return `${this.id}.${type}`
    return `${parts[0]}/${parts[1]}.${parts[2]}`
  }

  /** All options of an element; a name that `options.proto` does not declare is a problem. */
  private options(element: protobuf.ReflectionObject, place: string, target: string): Options {
    const parsed: unknown = element.parsedOptions
    const options = new Map<string, JsonValue>()
    for (const option of Array.isArray(parsed) ? parsed : []) {
      for (const [name, value] of Object.entries(option as Record<string, JsonValue>)) {
        if (name !== 'json_name' && !this.known.get(target)?.has(name))
          this.problem(place, `unknown option ${name}`)
        if (options.has(name)) this.problem(place, `option ${name} is given twice`)
        options.set(name, value)
      }
    }
    return options
  }

  private problem(place: string, what: string): void {
    this.problems.push(`${this.id}.proto: ${place === '' ? '' : `${place}: `}${what}`)
  }
}

/** The comments before a message and before its fields, each as one paragraph. */
function comments(type: protobuf.Type): Record<string, string> {
  const commented: (readonly [string, string | null])[] = [
    ['', type.comment],
    ...type.fieldsArray.map((field) => [jsonName(field), field.comment] as const),
  ]
  return Object.fromEntries(
    commented.flatMap(([name, comment]) =>
      comment === null || comment === '' ? [] : [[name, comment.replace(/\s+/g, ' ')]],
    ),
  )
}

function jsonName(field: protobuf.Field): string {
  const given: unknown = field.options?.['json_name']
  return typeof given === 'string' ? given : field.name
}

/** The list message of a resource. */
function listOf(message: string): PackedMessage {
  return {
    root: true,
    fields: [
      ['metadata', 1, 'meta/v1.ListMeta', flags.omitEmpty],
      ['items', 2, `[]${message}`, flags.required],
    ],
  }
}

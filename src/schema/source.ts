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
  type PackedIndex,
  type PackedMessage,
  type PackedPackage,
} from './packed.ts'
import { comments } from './source-comments.ts'
import { packField } from './source-field.ts'
import { type Options, textOf } from './source-options.ts'
import { checkReferences } from './source-references.ts'
import { packResource } from './source-resource.ts'
import { leafTypes } from './source-types.ts'

interface SchemaSources {
  /** Text of `options.proto`: the options that may be used. */
  readonly options: string
  /** Package id (`core/v1`) → text of its file. */
  readonly packages: ReadonlyMap<string, string>
}

interface PackedSchemas {
  readonly index: PackedIndex
  readonly packages: ReadonlyMap<string, PackedPackage>
  readonly descriptions: PackedDescriptions
}

const jsonForms: readonly string[] = ['list', 'schemaOrList', 'schemaOrBool', 'schemaOrStrings']

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
      fields: type.fieldsArray.map((field) => {
        const place = `${type.name}.${field.name}`
        return packField(
          field,
          this.options(field, place, 'FieldOptions'),
          this.messageId(field.type),
          (what) => this.problem(place, what),
        )
      }),
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

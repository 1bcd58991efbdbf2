/**
 * The conformance data of the CEL specification, run against the engine: every case of every section that concerns the
 * language as Kubernetes 1.30 has it. What is left out is listed below, with its reason, and counted.
 */

import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js'
import t from 'tap'
import { type CelOutput, type CelType, cel, compileExpression } from '../../../src/cel/expression.ts'

/** Sections of what the engine does not have. */
const foreignSections = new Map([
  ['proto2', 'protobuf messages'],
  ['proto2_ext', 'protobuf messages'],
  ['proto3', 'protobuf messages'],
  ['enums', 'protobuf messages'],
  ['dynamic', 'protobuf messages'],
  ['wrappers', 'protobuf messages'],
  ['bindings_ext', 'not in Kubernetes 1.30'],
  ['block_ext', 'not in Kubernetes 1.30'],
  ['encoders_ext', 'not in Kubernetes 1.30'],
  ['macros2', 'not in Kubernetes 1.30'],
  ['math_ext', 'not in Kubernetes 1.30'],
])

/** Cases whose answer is another one here, on purpose: section/group/name. */
const laterStrings = 'a later version of the strings library'
const exceptions = new Map<string, string>([
  ['string_ext/format/NaN support for decimal', laterStrings],
  ['string_ext/format/positive infinity support for decimal', laterStrings],
  ['string_ext/format/negative infinity support for decimal', laterStrings],
  ['string_ext/format/list support for string', laterStrings],
  ['string_ext/format/map support for string', laterStrings],
  ['string_ext/format/map support (all key types)', laterStrings],
  ['string_ext/format/dyntype support for lists', laterStrings],
  ['string_ext/format/dyntype support for maps', laterStrings],
  ['string_ext/format/dyntype NaN/infinity support', laterStrings],
  ['namespace/namespace/self_eval_container_lookup', 'containers'],
  ['namespace/namespace/self_eval_container_lookup_unchecked', 'containers'],
])

interface Case {
  readonly path: string
  readonly section: string
  readonly test: Readonly<Record<string, unknown>> & { readonly expr: string }
}

type Suite = typeof conformance

function casesOf(suite: Suite, path: readonly string[]): Case[] {
  const own = (suite.tests ?? []).map(({ original }) => ({
    path: [...path, original.name ?? original.expr].join('/'),
    section: path[0] ?? '',
    test: original,
  }))
  return [...own, ...(suite.suites ?? []).flatMap((inner) => casesOf(inner, [...path, inner.name]))]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: cel.bool,
  INT64: cel.int,
  UINT64: cel.uint,
  DOUBLE: cel.double,
  STRING: cel.string,
  BYTES: cel.bytes,
  TIMESTAMP: cel.timestamp,
  DURATION: cel.duration,
}

/** A declared type; `undefined` for those of protobuf. */
function typeOf(value: unknown): CelType | undefined {
  const type = recordOf(value)
  if ('primitive' in type) return primitives[String(type['primitive'])]
  if ('wellKnown' in type) return primitives[String(type['wellKnown'])]
  if ('dyn' in type) return cel.dyn
  if ('null' in type) return cel.null
  if ('listType' in type) {
    const element = typeOf(recordOf(type['listType'])['elemType'])
    return element === undefined ? undefined : cel.list(element)
  }
  if ('mapType' in type) {
    const { keyType, valueType } = recordOf(type['mapType'])
    const [key, held] = [typeOf(keyType), typeOf(valueType)]
    return key === undefined || held === undefined ? undefined : cel.map(key, held)
  }
  if ('abstractType' in type) {
    const { name, parameterTypes } = recordOf(type['abstractType'])
    const held = typeOf(listOf(parameterTypes)[0])
    return name === 'optional_type' && held !== undefined ? cel.optional(held) : undefined
  }
  return undefined
}

const specialDoubles: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

function doubleOf(value: unknown): number {
  return specialDoubles[String(value)] ?? Number(value)
}

/** The expected value in the words of {@link describe}. */
function expectedText(value: unknown): string {
  const wanted = recordOf(value)
  const [kind = ''] = Object.keys(wanted)
  const held = wanted[kind]
  switch (kind) {
    case 'int64Value':
    case 'uint64Value':
      return `n${String(held)}`
    case 'doubleValue':
      return `d${doubleOf(held)}`
    case 'stringValue':
      return JSON.stringify(held)
    case 'bytesValue':
      return `b${Buffer.from(String(held), 'base64').toString('hex')}`
    case 'boolValue':
      return String(held)
    case 'nullValue':
      return 'null'
    case 'typeValue':
      return `t${String(held)}`
    case 'listValue':
      return `[${listOf(recordOf(held)['values']).map(expectedText).join()}]`
    case 'mapValue':
      return `{${listOf(recordOf(held)['entries'])
        .map((entry) => `${expectedText(recordOf(entry)['key'])}:${expectedText(recordOf(entry)['value'])}`)
        .sort()
        .join()}}`
    case 'objectValue': {
      const message = recordOf(held)
      return `t${String(message['value'])}`
    }
    default:
      return 'true'
  }
}

function describe(output: CelOutput): string {
  if (typeof output === 'bigint') return `n${output}`
  if (typeof output === 'number') return `d${output}`
  if (typeof output === 'string') return JSON.stringify(output)
  if (typeof output === 'boolean' || output === null) return String(output)
  if (output instanceof Uint8Array) return `b${Buffer.from(output).toString('hex')}`
  if (output instanceof Map) {
    const entries = [...output].map(([key, value]) => `${describe(key)}:${describe(value)}`)
    return `{${entries.sort().join()}}`
  }
  if (Array.isArray(output)) return `[${output.map(describe).join()}]`
  return 'text' in output ? `t${output.text}` : '?'
}

/** A bound value as JSON. */
function bindingOf(value: unknown): unknown {
  const bound = recordOf(value)
  const [kind = ''] = Object.keys(bound)
  const held = bound[kind]
  switch (kind) {
    case 'int64Value':
    case 'uint64Value':
      return BigInt(String(held))
    case 'doubleValue':
      return doubleOf(held)
    case 'listValue':
      return listOf(recordOf(held)['values']).map(bindingOf)
    case 'mapValue':
      return Object.fromEntries(
        listOf(recordOf(held)['entries']).map((entry) => [
          String(bindingOf(recordOf(entry)['key'])),
          bindingOf(recordOf(entry)['value']),
        ]),
      )
    case 'nullValue':
      return null
    case 'objectValue':
      return recordOf(held)['value']
    default:
      return held
  }
}

const quotedField = /[.{] ?`/
const messages =
  /TestAllTypes|NestedTestAllTypes|google\.protobuf\.(?!Timestamp\b|Duration\b)|GlobalEnum|cel\.expr\./

/** Why a case is left out; `undefined` = it is run. */
function reasonToSkip({ path, section, test }: Case): string | undefined {
  const foreign = foreignSections.get(section) ?? exceptions.get(path)
  if (foreign !== undefined) return foreign
  const text = JSON.stringify({ ...test, name: '', description: '', container: '' })
  if (messages.test(text)) return 'protobuf messages'
  if (quotedField.test(test.expr)) return 'not in Kubernetes 1.30'
  const declared = listOf(test['typeEnv']).map(recordOf)
  if (declared.some((declaration) => 'function' in declaration)) return 'functions of the host'
  if (declared.some((declaration) => typeOf(recordOf(declaration['ident'])['type']) === undefined)) {
    return 'protobuf messages'
  }
  if (test['disableCheck'] === true && !('evalError' in test) && !compile(test).ok)
    return 'unchecked evaluation'
  return undefined
}

function compile(test: Case['test']): ReturnType<typeof compileExpression> {
  const variables = new Map<string, CelType>()
  for (const declaration of listOf(test['typeEnv']).map(recordOf)) {
    const type = typeOf(recordOf(declaration['ident'])['type'])
    if (type !== undefined) variables.set(String(declaration['name']), type)
  }
  return compileExpression(test.expr, { variables, homogeneousLiterals: false }, cel.dyn)
}

/** What went wrong; `undefined` = nothing. */
function run({ test }: Case): string | undefined {
  const compiled = compile(test)
  if (!compiled.ok) return 'evalError' in test ? undefined : compiled.failure.message
  if (test['checkOnly'] === true) return undefined
  const bindings = Object.entries(recordOf(test['bindings'])).map(
    ([name, bound]) => [name, bindingOf(recordOf(bound)['value'])] as const,
  )
  const result = compiled.value.evaluate(Object.fromEntries(bindings), { costMax: 1_000_000 })
  if (!result.ok) return 'evalError' in test ? undefined : result.failure.message
  if ('evalError' in test) return `no error but ${describe(result.value)}`
  const wanted = expectedText(test['value'] ?? recordOf(test['typedResult'])['result'] ?? { boolValue: true })
  const got = describe(result.value)
  return got === wanted ? undefined : `expected ${wanted}, got ${got}`
}

const cases = conformance.suites?.flatMap((suite) => casesOf(suite, [suite.name])) ?? []
const skipped = new Map<string, number>()
const sections = new Map<string, Case[]>()
for (const each of cases) {
  const reason = reasonToSkip(each)
  if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  else sections.set(each.section, [...(sections.get(each.section) ?? []), each])
}

for (const [section, run_] of sections) {
  t.test(`${section}: ${run_.length} cases`, (t) => {
    const wrong = run_.flatMap((each) => {
      const difference = run(each)
      return difference === undefined ? [] : [`${each.path}: ${each.test.expr} → ${difference}`]
    })
    t.same(wrong, [])
    t.end()
  })
}

t.test('what is left out', (t) => {
  t.same(Object.fromEntries(skipped), {
    'protobuf messages': 682,
    'not in Kubernetes 1.30': 297,
    'unchecked evaluation': 28,
    'a later version of the strings library': 9,
    'functions of the host': 5,
    containers: 2,
  })
  t.end()
})

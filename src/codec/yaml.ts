/**
 * YAML in and out. Scalars are read as YAML 1.1 does (`0644` is octal, `yes` is true), as clients of this API expect;
 * timestamps and binary stay text.
 */

import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import { formatPath, type PathSegment } from '../schema/path.ts'
import { nestingDepth } from './json-scan.ts'

const require = createRequire(import.meta.url)
let loaded: typeof Yaml | undefined

/** Seventy modules, loaded with the first YAML: most clients speak JSON only. */
function library(): typeof Yaml {
  const known: typeof Yaml = loaded ?? require('yaml')
  loaded = known
  return known
}

/** An alias may stand for this many nodes in all: beyond it the text is a bomb. */
const aliasCountMax = 100
const foreignTags: ReadonlySet<unknown> = new Set(['timestamp', 'binary', 'omap', 'pairs', 'set'])

export interface ParsedYaml {
  readonly value: JsonValue
  /** Paths of keys that a map has more than once, in the order of the text; the last one counts. */
  readonly duplicateFields: readonly string[]
}

/** A map that has a key twice is broken YAML. */
export function parseYaml(text: string, depthMax: number): Result<JsonValue, string> {
  const parsed = parseLenientYaml(text, depthMax)
  if (!parsed.ok) return parsed
  const [duplicate] = parsed.value.duplicateFields
  return duplicate === undefined
    ? { ok: true, value: parsed.value.value }
    : fail(`duplicate field ${JSON.stringify(duplicate)}`)
}

/** Takes maps that have a key twice, and tells of them. */
export function parseLenientYaml(text: string, depthMax: number): Result<ParsedYaml, string> {
  const tooDeep = `more than ${depthMax} levels deep`
  if (nestingDepth(Buffer.from(text), depthMax) > depthMax) return fail(tooDeep)
  const { LineCounter, parseDocument } = library()
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      version: '1.1',
      customTags: (tags) =>
        tags.filter((tag) => !foreignTags.has(typeof tag === 'string' ? tag : tagName(tag.tag))),
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
      uniqueKeys: false,
    })
    const [error] = document.errors
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0])
      return fail(`${error.message} (line ${line}, column ${col})`)
    }
    const value = jsonOf(document.toJS({ maxAliasCount: aliasCountMax }), depthMax)
    return value.ok
      ? { ok: true, value: { value: value.value, duplicateFields: duplicatesOf(document) } }
      : value
  } catch (error) {
    // The library throws for alias bombs and, by way of the call stack, for deep nesting: both are the text's fault.
    return fail(
      error instanceof RangeError ? tooDeep : error instanceof Error ? error.message : String(error),
    )
  }
}

function duplicatesOf(document: Yaml.Document.Parsed): readonly string[] {
  const { isScalar, visit } = library()
  const found: string[] = []
  visit(document, {
    Map(_, map, ancestors) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (seen.has(name)) found.push(formatPath([...pathOf([...ancestors, map]), name]))
        seen.add(name)
      }
    },
  })
  return found
}

/** Where the last of the nodes is, read off those that it is in. */
function pathOf(nodes: readonly unknown[]): PathSegment[] {
  const { isPair, isScalar, isSeq } = library()
  return nodes.flatMap((node, depth): PathSegment[] => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : '?']
    const inner = nodes[depth + 1]
    return isSeq(node) && inner !== undefined ? [node.items.indexOf(inner)] : []
  })
}

function tagName(tag: string): string {
  return tag.slice(tag.lastIndexOf(':') + 1)
}

/** Block style; strings that would read as something else are quoted. */
export function formatYaml(value: JsonValue): string {
  return library().stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
}

/** What YAML can say beyond JSON is refused: infinities, and values that are neither text, number, list nor map. */
function jsonOf(value: unknown, depthLeft: number): Result<JsonValue, string> {
  if (isJson(value, depthLeft)) return ok(value)
  return fail('it holds a value that JSON cannot hold, or nests too deep')
}

function isJson(value: unknown, depthLeft: number): value is JsonValue {
  if (depthLeft < 0) return false
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (Array.isArray(value)) return value.every((one) => isJson(one, depthLeft - 1))
      return (
        Object.getPrototypeOf(value) === Object.prototype &&
        Object.values(value).every((one) => isJson(one, depthLeft - 1))
      )
    default:
      return false
  }
}

/** From words to the values of one table of flags: pure, so that every rule is a row of a table in a test. */

import { nearest } from '../../src/nearest.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { Flag } from './flag.ts'

export type FlagTable = Readonly<Record<string, Flag<unknown>>>
type ValueOf<F> = F extends Flag<infer T> ? T : never
/** Parsed values by flag name; undefined = not given, and no default. */
export type ValuesOf<T extends FlagTable> = { readonly [N in keyof T]: ValueOf<T[N]> | undefined }

/** A sentence for the person at the terminal. */
export type UsageFailure = { readonly code: 'Usage'; readonly message: string }

interface Grammar<T extends FlagTable> {
  readonly flags: T
  /** Flags whose values add up when they are given again; the others count as given last. */
  readonly accumulates: ReadonlySet<string>
  /** What to say to a word that is no flag; undefined: it is an argument. */
  unexpected(word: string): string | undefined
}

type Words<T extends FlagTable> =
  | { readonly type: 'help' }
  | { readonly type: 'version' }
  | { readonly type: 'values'; readonly values: ValuesOf<T>; readonly arguments: readonly string[] }

/** Reads the words of a command line by its flags. The failure names the word. */
export function readWords<T extends FlagTable>(
  grammar: Grammar<T>,
  words: readonly string[],
): Result<Words<T>, UsageFailure> {
  const texts = new Map<string, string>()
  const plain: string[] = []
  let rest = words
  while (rest.length > 0) {
    const [word = '', ...following] = rest
    if (word === '--help' || word === '-h') return ok({ type: 'help' })
    if (word === '--version') return ok({ type: 'version' })
    rest = following
    if (!/^--?[a-z]/i.test(word)) {
      const problem = grammar.unexpected(word)
      if (problem !== undefined) return usage(problem)
      plain.push(word)
      continue
    }
    const read = readFlag(grammar.flags, word, following)
    if (!read.ok) return read
    const { name, text, rest: left } = read.value
    const before = texts.get(name)
    texts.set(name, before !== undefined && grammar.accumulates.has(name) ? `${before},${text}` : text)
    rest = left
  }
  const values = parseValues(grammar.flags, texts)
  return values.ok ? ok({ type: 'values', values: values.value, arguments: plain }) : values
}

interface ReadFlag {
  readonly name: string
  readonly text: string
  readonly rest: readonly string[]
}

function readFlag(
  table: FlagTable,
  word: string,
  following: readonly string[],
): Result<ReadFlag, UsageFailure> {
  const [, dashes = '', given = '', inline] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? []
  const name = dashes === '-' ? shortNamed(table, given) : named(table, given)
  const definition = name === undefined ? undefined : table[name]
  if (name === undefined || definition === undefined) {
    return usage(unknownFlag(table, `${dashes}${given}`, given))
  }
  if (inline !== undefined) return ok({ name, text: inline, rest: following })
  const [next, ...rest] = following
  if (next === undefined || next.startsWith('--')) {
    return usage(`--${name} needs a value: --${name}=${definition.kind.placeholder}`)
  }
  return ok({ name, text: next, rest })
}

function shortNamed(table: FlagTable, given: string): string | undefined {
  return Object.keys(table).find((name) => table[name]?.short === given)
}

function named(table: FlagTable, given: string): string | undefined {
  const name = given.toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(table, name) ? name : undefined
}

function unknownFlag(table: FlagTable, shown: string, given: string): string {
  const near = nearest(given, Object.keys(table))
  return near === undefined
    ? `unknown flag ${shown}; see --help`
    : `unknown flag ${shown}: did you mean --${near}?`
}

function parseValues<T extends FlagTable>(
  table: T,
  texts: ReadonlyMap<string, string>,
): Result<ValuesOf<T>, UsageFailure> {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(table)) {
    const text = texts.get(name) ?? definition.default
    if (text === undefined) continue
    const parsed = definition.kind.parse(text)
    if (!parsed.ok) return usage(`--${name} ${parsed.failure}`)
    values[name] = parsed.value
  }
  // Each value came from the parser of its own flag.
  return ok(values as ValuesOf<T>)
}

export function usage(message: string): { readonly ok: false; readonly failure: UsageFailure } {
  return fail({ code: 'Usage', message })
}

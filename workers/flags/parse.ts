/** From words to values: pure, so that every rule is a row of a table in a test. */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { Flag } from './flag.ts'
import { nearest } from './nearest.ts'
import { type FlagName, type FlagValues, flags } from './table.ts'

export type CommandLine =
  | { readonly type: 'help' }
  | { readonly type: 'version' }
  | { readonly type: 'serve'; readonly values: FlagValues }

/** A sentence for the person at the terminal. */
export type UsageFailure = { readonly code: 'Usage'; readonly message: string }

type Texts = Map<FlagName, string>

/** Words after the program's name. A flag given twice counts as given last, but lists of switches add up. */
export function parseCommandLine(words: readonly string[]): Result<CommandLine, UsageFailure> {
  const texts: Texts = new Map()
  let rest = words[0] === 'serve' ? words.slice(1) : words
  if (rest[0] === 'help') return ok({ type: 'help' })
  while (rest.length > 0) {
    const [word = '', ...following] = rest
    if (word === '--help' || word === '-h') return ok({ type: 'help' })
    if (word === '--version') return ok({ type: 'version' })
    const read = readWord(word, following)
    if (!read.ok) return read
    const { name, text, rest: left } = read.value
    const before = texts.get(name)
    texts.set(name, before !== undefined && accumulates.has(name) ? `${before},${text}` : text)
    rest = left
  }
  const values = parseValues(texts)
  return values.ok ? ok({ type: 'serve', values: values.value }) : values
}

const accumulates: ReadonlySet<FlagName> = new Set([
  'runtime-config',
  'feature-gates',
  'tls-sans',
  'enable-admission-plugins',
  'disable-admission-plugins',
])

interface ReadWord {
  readonly name: FlagName
  readonly text: string
  readonly rest: readonly string[]
}

function readWord(word: string, following: readonly string[]): Result<ReadWord, UsageFailure> {
  const match = /^(--?)([a-z][a-z0-9_-]*)(?:=(.*))?$/is.exec(word)
  if (match === null) return usage(unexpected(word))
  const [, dashes, given = '', inline] = match
  const name = dashes === '-' ? shortNames.get(given) : flagNamed(given)
  if (name === undefined) return usage(unknownFlag(`${dashes}${given}`, given))
  if (inline !== undefined) return ok({ name, text: inline, rest: following })
  const [next, ...rest] = following
  if (next === undefined || next.startsWith('--')) {
    return usage(`--${name} needs a value: --${name}=${definitions[name].kind.placeholder}`)
  }
  return ok({ name, text: next, rest })
}

const definitions: Readonly<Record<FlagName, Flag<unknown>>> = flags
const names = Object.keys(flags).filter(isFlagName)
const shortNames = new Map(
  names.flatMap((name): [string, FlagName][] => {
    const { short } = definitions[name]
    return short === undefined ? [] : [[short, name]]
  }),
)

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(flags, name)
}

function flagNamed(given: string): FlagName | undefined {
  const name = given.toLowerCase().replaceAll('_', '-')
  return isFlagName(name) ? name : undefined
}

function unexpected(word: string): string {
  const near = nearest(word, ['serve', 'help'])
  return near === undefined
    ? `unexpected word ${JSON.stringify(word)}: there is one command, serve; flags begin with --`
    : `unexpected word ${JSON.stringify(word)}: did you mean ${near}?`
}

function unknownFlag(shown: string, given: string): string {
  const near = nearest(given, names)
  return near === undefined
    ? `unknown flag ${shown}; see --help`
    : `unknown flag ${shown}: did you mean --${near}?`
}

function parseValues(texts: Texts): Result<FlagValues, UsageFailure> {
  const values: Record<string, unknown> = {}
  for (const name of names) {
    const definition = definitions[name]
    const text = texts.get(name) ?? definition.default
    if (text === undefined) continue
    const parsed = definition.kind.parse(text)
    if (!parsed.ok) return usage(`--${name} ${parsed.failure}`)
    values[name] = parsed.value
  }
  // Each value came from the parser of its own flag.
  return ok(values as unknown as FlagValues)
}

export function usage(message: string): { readonly ok: false; readonly failure: UsageFailure } {
  return fail({ code: 'Usage', message })
}

/** From the words of a command line to what shall be done: which command, with which values. */

import { nearest } from '../../src/nearest.ts'
import { ok, type Result } from '../../store/contract.ts'
import {
  type CommandGroup,
  type CommandLineOf,
  type CommandName,
  commandGroup,
  commands,
  isCommandName,
} from '../commands/table.ts'
import { type FlagValues, flags } from './table.ts'
import { readWords, type UsageFailure, usage } from './words.ts'

type CommandLine =
  /** Of the program, of one command, or of those that begin with one word. */
  | { readonly type: 'help'; readonly of: CommandName | CommandGroup | undefined }
  | { readonly type: 'version' }
  | { readonly type: 'serve'; readonly values: FlagValues }
  | { readonly type: 'command'; readonly command: CommandLineOf<CommandName> }

/** Words after the program's name. A flag given twice counts as given last, but lists of switches add up. */
export function parseCommandLine(words: readonly string[]): Result<CommandLine, UsageFailure> {
  if (words[0] === 'help') return helpOf(words.slice(1))
  const found = commandIn(words)
  if (found !== undefined) return parseCommand(found.name, found.rest)
  const group = commandGroup(words[0] ?? '')
  if (group !== undefined && (words[1] === '--help' || words[1] === '-h'))
    return ok({ type: 'help', of: group })
  return parseServe(words[0] === 'serve' ? words.slice(1) : words)
}

function helpOf(words: readonly string[]): Result<CommandLine, UsageFailure> {
  return ok({ type: 'help', of: commandIn(words)?.name ?? commandGroup(words[0] ?? '') })
}

function parseServe(words: readonly string[]): Result<CommandLine, UsageFailure> {
  const read = readWords({ flags, accumulates, unexpected }, words)
  if (!read.ok) return read
  switch (read.value.type) {
    case 'help':
      return ok({ type: 'help', of: undefined })
    case 'version':
      return ok({ type: 'version' })
    case 'values':
      return ok({ type: 'serve', values: read.value.values })
  }
}

function parseCommand(name: CommandName, words: readonly string[]): Result<CommandLine, UsageFailure> {
  const { arguments: wanted, flags } = commands[name]
  const read = readWords({ flags, accumulates, unexpected: () => undefined }, words)
  if (!read.ok) return usage(`${name}: ${read.failure.message}`)
  if (read.value.type === 'help') return ok({ type: 'help', of: name })
  if (read.value.type === 'version') return ok({ type: 'version' })
  const given = read.value.arguments
  if (given.length !== wanted.length) {
    const expects =
      wanted.length === 0
        ? 'no arguments'
        : `${wanted.length === 1 ? 'one argument' : `${wanted.length} arguments`}, ${wanted.join(' ')}`
    const found = given.length === 0 ? 'none' : given.map((word) => JSON.stringify(word)).join(' ')
    return usage(`${name} takes ${expects}; found ${found}`)
  }
  // Name and values were found together, in the same row of the table.
  const command = { name, values: read.value.values, arguments: given } as CommandLineOf<CommandName>
  return ok({ type: 'command', command })
}

/** The longest row of the table that the words begin with. */
function commandIn(
  words: readonly string[],
): { readonly name: CommandName; readonly rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    if (words.length >= length && isCommandName(name)) return { name, rest: words.slice(length) }
  }
  return undefined
}

const accumulates: ReadonlySet<string> = new Set([
  'runtime-config',
  'feature-gates',
  'tls-sans',
  'sans',
  'enable-admission-plugins',
  'disable-admission-plugins',
  'service-account-issuer',
  'oidc-required-claim',
  'oidc-signing-algs',
  'requestheader-allowed-names',
  'requestheader-username-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'service-account-key-file',
  'api-audiences',
])

function unexpected(word: string): string {
  const group = commandGroup(word)
  if (group !== undefined)
    return `${word} needs one of ${group.names.map((name) => name.slice(word.length + 1)).join(', ')}`
  const near = nearest(word, [
    'serve',
    'help',
    ...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? '')),
  ])
  return near === undefined
    ? `unexpected word ${JSON.stringify(word)}: there is no such command; see --help`
    : `unexpected word ${JSON.stringify(word)}: did you mean ${near}?`
}

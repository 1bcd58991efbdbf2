import {
  type Command,
  type CommandGroup,
  type CommandName,
  commands,
  isCommandName,
} from '../commands/table.ts'
import { type Flag, flagGroups } from './flag.ts'
import { flags } from './table.ts'
import type { FlagTable } from './words.ts'

const widthMax = 100
const indent = 6

/** What `--help` prints. */
export function helpText(of?: CommandName | CommandGroup): string {
  if (of === undefined) return programHelp()
  return typeof of === 'string' ? commandHelp(of, commands[of]) : groupHelp(of)
}

function groupHelp({ word, names }: CommandGroup): string {
  return `Usage:
${describeCommands(names)}

More about one: cluster-apiserver ${word} ${names[0]?.slice(word.length + 1)} --help
`
}

function describeCommands(names: readonly CommandName[]): string {
  return names
    .map((name) => describeCommand([name, ...commands[name].arguments].join(' '), commands[name].summary))
    .join('\n')
}

function programHelp(): string {
  return `cluster-apiserver: a resource API server with its own durable, replicated store.

Usage:
  cluster-apiserver [serve] [flags]     start the server
${describeCommands(Object.keys(commands).filter(isCommandName))}
  cluster-apiserver --help | --version, and <command> --help

Flags of serve:

${describeFlags(flags)}
A value follows its flag behind = or a space.
Ctrl-C (or SIGTERM) stops the server in good order; a second one at once.
`
}

function describeCommand(words: string, summary: string): string {
  return `  cluster-apiserver ${words}\n${wrap(summary)}`
}

function commandHelp(name: string, { summary, details, arguments: words, flags }: Command): string {
  const more = details === undefined ? '' : `${wrap(details, 0)}\n\n`
  return `cluster-apiserver ${[name, ...words].join(' ')} [flags]: ${summary}

${more}${describeFlags(flags)}`
}

function describeFlags(table: FlagTable): string {
  const groups = flagGroups.map((group) => {
    const entries = Object.entries(table).filter(([, flag]) => flag.group === group)
    if (entries.length === 0) return ''
    return `${group}:\n${entries.map(([name, flag]) => describeFlag(name, flag)).join('')}\n`
  })
  return groups.join('')
}

function describeFlag(name: string, { kind, help, short, ...flag }: Flag<unknown>): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`
  const fallback = flag.defaultHelp ?? flag.default
  const sentence = fallback === undefined ? help : `${help} Default: ${fallback}.`
  return `  ${names} ${kind.placeholder}\n${wrap(sentence)}\n`
}

function wrap(sentence: string, by = indent): string {
  const lines: string[] = []
  let line = ''
  for (const word of sentence.split(' ')) {
    if (line !== '' && by + line.length + 1 + word.length > widthMax) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.map((one) => ' '.repeat(by) + one).join('\n')
}

import { type Flag, flagGroups } from './flag.ts'
import { flags } from './table.ts'

const widthMax = 100
const indent = 6

/** What `--help` prints. */
export function helpText(): string {
  const groups = flagGroups.map((group) => {
    const entries = Object.entries<Flag<unknown>>(flags).filter(([, flag]) => flag.group === group)
    return `${group}:\n${entries.map(([name, flag]) => describeFlag(name, flag)).join('')}`
  })
  return `cluster-apiserver: a resource API server with its own durable store.

Usage:
  cluster-apiserver [serve] [flags]     start the server
  cluster-apiserver --help | --version

${groups.join('\n')}
A value follows its flag behind = or a space.
Ctrl-C (or SIGTERM) stops the server in good order; a second one at once.
`
}

function describeFlag(name: string, { kind, help, short, ...flag }: Flag<unknown>): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`
  const fallback = flag.defaultHelp ?? flag.default
  const sentence = fallback === undefined ? help : `${help} Default: ${fallback}.`
  return `  ${names} ${kind.placeholder}\n${wrap(sentence)}\n`
}

function wrap(sentence: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of sentence.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > widthMax) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.map((one) => ' '.repeat(indent) + one).join('\n')
}

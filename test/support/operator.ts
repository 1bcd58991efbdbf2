/** An operator's command line, carried out in this process. */

import type { CommandEnd } from '../../workers/commands/io.ts'
import { runCommand } from '../../workers/commands/run.ts'
import { parseCommandLine } from '../../workers/flags/parse.ts'

/** @param words behind `cluster-apiserver`; throws where they are no command, but `serve` or `--help` */
export async function operate(...words: readonly string[]): Promise<CommandEnd> {
  const line = parseCommandLine(words)
  if (!line.ok) return { type: 'misused', message: line.failure.message }
  if (line.value.type !== 'command') throw new Error(`${words.join(' ')} is no command`)
  return runCommand(line.value.command, {
    environment: {},
    homeDirectory: '/none',
    nowMs: Date.now(),
    print() {},
    onStopSignal() {},
    onLine() {},
  })
}

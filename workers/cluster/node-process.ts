/** One node of a local cluster: a server process, with its output in a file. */

import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { processScript } from '../scripts.ts'

export interface NodeProcess {
  readonly pid: number
  readonly isRunning: boolean
  /** How it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Ends it in good order, by force after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** Its own process group: a Ctrl-C at the terminal is for the one who started it, who then ends it in good order. */
export async function startNodeProcess(args: readonly string[], logPath: string): Promise<NodeProcess> {
  const log = await open(logPath, 'a', 0o600)
  const child = spawn(process.execPath, [...process.execArgv, processScript('main'), ...args], {
    detached: true,
    // The channel says nothing; its end tells the node that nobody is left to end it.
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  })
  await log.close()
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  // Whoever started it may go without a word: then it goes, too.
  const onExit = (): void => void child.kill('SIGKILL')
  process.once('exit', onExit)
  void ended.then(() => process.off('exit', onExit))
  return {
    pid: child.pid ?? 0,
    get isRunning() {
      return isRunning(child)
    },
    ended,
    kill: (signal) => void child.kill(signal),
    async stop(graceMs) {
      if (!isRunning(child)) return
      child.kill('SIGTERM')
      const byForce = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended
      clearTimeout(byForce)
    },
  }
}

function isRunning({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

/** What a node said last, for a message about its end. */
export async function lastWords(logPath: string): Promise<string> {
  const text = await readFile(logPath, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-3).join('\n')
}

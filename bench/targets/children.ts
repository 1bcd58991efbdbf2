/**
 * Child processes of the bench, each ended by its own id, at the latest when the bench ends.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** How long a child may take to end by itself before it is killed. */
const graceMs = 10_000
/** Last part of what a child wrote to stderr, kept to say why it ended. */
const stderrCharsMax = 4000

export interface Child {
  readonly pid: number
  readonly process: ChildProcess
  /** Text once the child has ended, saying how; undefined while it runs. */
  ended(): string | undefined
  removeDirectory(): void
  /** Asks it to end, waits, kills it when it does not. Idempotent. */
  end(): Promise<void>
}

const running = new Set<Child>()

/**
 * Starts this Node with `args`. Its stdin stays open, so that a child may end when the bench is gone. `directory`, if
 * any, is the child's own and is removed when the child has ended.
 */
export function startChild(args: readonly string[], directory?: string): Child {
  const started = spawn(process.execPath, [...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { pid } = started
  if (pid === undefined) throw new Error(`${process.execPath} could not be started`)
  let stderr = ''
  let end: string | undefined
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharsMax)
  })
  started.stdout.resume()
  const gone = new Promise<void>((resolve) => {
    started.on('exit', (code, signal) => {
      end = `ended with ${signal ?? `code ${code}`}: ${stderr.trim()}`
      running.delete(child)
      child.removeDirectory()
      resolve()
    })
  })
  const child: Child = {
    pid,
    process: started,
    ended: () => end,
    removeDirectory() {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    },
    async end() {
      if (end !== undefined) return
      started.kill('SIGTERM')
      const killer = setTimeout(() => started.kill('SIGKILL'), graceMs)
      await gone
      clearTimeout(killer)
    },
  }
  running.add(child)
  return child
}

export async function endChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.end()))
}

/** For the way out of a crash, where nothing can be awaited. */
export function killChildren(): void {
  for (const child of running) {
    child.process.kill('SIGKILL')
    child.removeDirectory()
  }
}

/**
 * kubectl, where one is on the PATH, against a server of its own: a transcript of command lines and what each must
 * print. Where there is none the tests say so and pass: `informer.test.ts` has the other real client.
 */

import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServerProcess, temporaryDirectory } from './server-process.ts'

export interface Row {
  /** Arguments as in a shell: parted by spaces, single quotes keep them together; `{dir}` is where the files are. */
  readonly run: string
  /** Of standard output; of standard error behind it where the command fails. */
  readonly prints: RegExp
  /** Exit code; absent = 0. `diff` says 1 for a difference. */
  readonly exit?: number
}

export interface Transcript {
  readonly name: string
  /** Name → text, for `-f {dir}/<name>`. */
  readonly files?: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
}

const present = spawnSync('kubectl', ['version', '--client']).status === 0

export function tellKubectl(transcripts: readonly Transcript[]): void {
  if (!present) {
    t.plan(0, 'no kubectl on the PATH')
    return
  }
  t.test('kubectl', async (t) => {
    const server = await startServerProcess(t, { args: ['--workers', '1'] })
    for (const { name, files = {}, rows } of transcripts) {
      await t.test(name, async (t) => {
        const dir = temporaryDirectory(t)
        for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
        const environment = { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: dir }
        for (const row of rows) {
          const { code, stdout, stderr } = await kubectl(row.run, dir, environment)
          const shown = `kubectl ${row.run}`
          t.equal(code, row.exit ?? 0, `${shown}${code === 0 ? '' : `: ${stderr.trim().slice(0, 300)}`}`)
          t.match((row.exit ?? 0) === 0 ? stdout : stdout + stderr, row.prints, shown)
        }
      })
    }
  })
}

interface Done {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function kubectl(line: string, dir: string, env: NodeJS.ProcessEnv): Promise<Done> {
  return new Promise((resolve) => {
    const options = { env, timeout: 30_000 }
    execFile('kubectl', words(line.replaceAll('{dir}', dir)), options, (error, stdout, stderr) =>
      resolve({ code: exitCode(error), stdout, stderr }),
    )
  })
}

function exitCode(error: ExecFileException | null): number {
  return error === null ? 0 : typeof error.code === 'number' ? error.code : -1
}

function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''))
}

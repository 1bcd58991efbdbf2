/**
 * kubectl, where one is on the PATH, against a server of its own: a transcript of command lines and what each must
 * print. Where there is none the tests say so and pass: `informer.test.ts` has the other real client.
 */

import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServerProcess, temporaryDirectory } from './server-process.ts'

interface Row {
  /** Arguments as in a shell: parted by spaces, single quotes keep them together; `{dir}` is where the files are. */
  readonly run: string
  /** Of standard output; of standard error behind it where the command fails. */
  readonly prints: RegExp
  /** Exit code; absent = 0. `diff` says 1 for a difference. */
  readonly exit?: number
  /** What `edit` opens its file with; `{dir}` as in `run`. */
  readonly editor?: string
  /** Of standard error, where the command succeeds. */
  readonly warns?: RegExp
  /** Keeps what is printed as `{name}` for the rows behind. */
  readonly save?: string
  /** Run again until it prints that: for what a controller does. */
  readonly until?: true
}

interface Transcript {
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
        const environment = { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: dir, TMPDIR: dir }
        const saved = new Map([['dir', dir]])
        for (const row of rows) {
          const fill = (text: string): string =>
            text.replace(/\{(\w+)\}/g, (whole, word: string) => saved.get(word) ?? whole)
          const { code, stdout, stderr } = await kubectlUntil(row, fill(row.run), {
            ...environment,
            ...(row.editor === undefined ? {} : { KUBE_EDITOR: fill(row.editor) }),
          })
          if (row.save !== undefined) saved.set(row.save, stdout.trim())
          const shown = `kubectl ${row.run}`
          t.equal(code, row.exit ?? 0, `${shown}${code === 0 ? '' : `: ${stderr.trim().slice(0, 300)}`}`)
          if (row.warns !== undefined) t.match(stderr, row.warns, `${shown} warns`)
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

const untilMs = 60_000

async function kubectlUntil(row: Row, line: string, env: NodeJS.ProcessEnv): Promise<Done> {
  const end = performance.now() + untilMs
  for (;;) {
    const done = await kubectl(line, env)
    const right = done.code === (row.exit ?? 0) && row.prints.test(done.stdout + done.stderr)
    if (right || row.until === undefined || performance.now() > end) return done
  }
}

function kubectl(line: string, env: NodeJS.ProcessEnv): Promise<Done> {
  return new Promise((resolve) => {
    const options = { env, timeout: 120_000 }
    execFile('kubectl', words(line), options, (error, stdout, stderr) =>
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

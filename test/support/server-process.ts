/** The real server as a child process: started, asked, stopped or killed by a test. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { root } from '../house/sources.ts'
import { eventually } from './eventually.ts'

export interface ServerProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  readonly port: number
  readonly kubeconfigPath: string
  kubeConfig(): KubeConfig
  /** Everything it printed so far, both streams. */
  output(): string
  /** Sends the signal and waits for the end: the exit code, or null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

interface StartOptions {
  readonly dataDir?: string
  readonly port?: number
  readonly args?: readonly string[]
}

interface Teardown {
  teardown(action: () => unknown): void
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts('127.0.0.1', 1)
  return port
}

/** A directory of the test's own, removed when it ends. */
export function temporaryDirectory(t: Teardown): string {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-test-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A start takes under a second; on a machine that does much else beside, many times that. */
const readyWithinMs = 60_000

/** Starts `serve` in the dialect kubernetes on loopback and waits until a client may use it. */
export async function startServerProcess(t: Teardown, options: StartOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? temporaryDirectory(t)
  const port = options.port ?? (await freePort())
  const flags = ['--data-dir', dataDir, '--bind-address', '127.0.0.1', '--secure-port', String(port)]
  const child = spawn(
    process.execPath,
    [
      join(root, 'dist/bundle/main.js'),
      'serve',
      ...flags,
      '--api-dialect',
      'kubernetes',
      ...(options.args ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  t.teardown(() => (child.exitCode === null && child.signalCode === null ? stop('SIGKILL') : undefined))

  const kubeconfigPath = join(dataDir, 'admin.kubeconfig')
  await eventually(
    () => `the server to be ready; it printed:\n${printed}`,
    () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${printed}`)
      return printed.includes(kubeconfigPath)
    },
    readyWithinMs,
  )
  return {
    child,
    dataDir,
    port,
    kubeconfigPath,
    output: () => printed,
    stop,
    kubeConfig() {
      const config = new KubeConfig()
      config.loadFromFile(kubeconfigPath)
      return config
    },
  }
}

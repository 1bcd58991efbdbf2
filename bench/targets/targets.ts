/**
 * The servers that are measured: this project's own, the bare one, and any other that is running already.
 */

import { existsSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isJsonObject } from '../../src/json.ts'
import { call } from '../client/api.ts'
import { type Credentials, createEndpoint, type Endpoint, readKubeconfig } from '../client/endpoint.ts'
import type { Floor } from '../floors.ts'
import { createProcessTree } from '../measure/processes.ts'
import type { Settings, StartedTarget, Target } from '../scenarios/scenario.ts'
import { type Child, startChild } from './children.ts'

const serverScript = fileURLToPath(new URL('../../bundle/main.js', import.meta.url))
const floorScript = fileURLToPath(new URL('../floor.js', import.meta.url))
const baselineScript = fileURLToPath(new URL('../baseline.js', import.meta.url))

const startTimeoutMs = 60_000
const pollMs = 5

interface OwnOptions {
  readonly workers: number
  /** Further flags of `serve`. */
  readonly flags: readonly string[]
  /** Absent: a temporary one, which goes with the server. */
  readonly dataDirectory?: string
}

/** Starts this project's server. */
export async function startOwn(options: OwnOptions): Promise<StartedTarget> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'cluster-apiserver-bench-'))
  const port = await freePort()
  const begunMs = performance.now()
  const flags = [
    serverScript,
    'serve',
    `--data-dir=${dataDirectory}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--workers=${options.workers}`,
    ...options.flags,
  ]
  const child = startChild(flags, options.dataDirectory === undefined ? dataDirectory : undefined)
  const close = () => child.end()
  try {
    const kubeconfig = join(dataDirectory, 'admin.kubeconfig')
    await poll(child, () => existsSync(kubeconfig))
    // The file may be there before all of its text.
    const endpoint = await poll(child, () => readableEndpoint(kubeconfig, port))
    await poll(child, () => isReady(endpoint))
    return {
      ...ownTarget('server', endpoint, child),
      readyMs: performance.now() - begunMs,
      another: (changes) => startOwn({ workers: options.workers, flags: options.flags, ...changes }),
      isBaseline: false,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function readableEndpoint(kubeconfig: string, port: number): Endpoint | undefined {
  try {
    return createEndpoint({ ...readKubeconfig(kubeconfig), server: `https://127.0.0.1:${port}` })
  } catch {
    return undefined
  }
}

/** Starts the bare server of `baseline.ts`; with a floor, the one of `floor.ts`. */
export async function startBaselineChild(settings: Settings, floor?: Floor): Promise<StartedTarget> {
  const begunMs = performance.now()
  const script = floor === undefined ? [baselineScript] : [floorScript, floor]
  const child = startChild([...script, String(settings.listObjects), String(settings.listItemBytes)])
  let printed = ''
  child.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  try {
    const { url, ca } = await poll(child, () => announcement(printed))
    const endpoint = createEndpoint({ server: url, ca })
    await poll(child, () => isReady(endpoint))
    return {
      ...ownTarget(floor === undefined ? 'baseline' : `floor: ${floor}`, endpoint, child),
      readyMs: performance.now() - begunMs,
      another: () => startBaselineChild(settings, floor),
      isBaseline: true,
      close: () => child.end(),
    }
  } catch (error) {
    await child.end()
    throw error
  }
}

function announcement(printed: string): { readonly url: string; readonly ca: string } | undefined {
  if (!printed.endsWith('\n')) return undefined
  const said: unknown = JSON.parse(printed)
  if (!isJsonObject(said) || typeof said['url'] !== 'string' || typeof said['ca'] !== 'string') {
    throw new Error(`the baseline said ${printed}`)
  }
  return { url: said['url'], ca: said['ca'] }
}

function ownTarget(name: string, endpoint: Endpoint, child: Child) {
  return { name, endpoint, processes: createProcessTree([child.pid]), isForeign: false }
}

/** A server that runs already. `pids`: its processes on this machine; none = its costs are left out. */
export function runningTarget(credentials: Credentials, pids: readonly number[]): Target {
  return {
    name: 'server',
    endpoint: createEndpoint(credentials),
    processes: pids.length === 0 ? undefined : createProcessTree(pids),
    isBaseline: false,
    isForeign: true,
  }
}

async function isReady(endpoint: Endpoint): Promise<true | undefined> {
  try {
    const { status } = await call(endpoint, { method: 'GET', target: '/readyz' })
    return status === 200 ? true : undefined
  } catch {
    return undefined // not listening yet
  }
}

/** Asks until `probe` has a value. Throws when the child ends or the time is up. */
async function poll<T>(child: Child, probe: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  const deadlineMs = performance.now() + startTimeoutMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false) return value as Exclude<T, undefined | false> // just checked
    const ended = child.ended()
    if (ended !== undefined) throw new Error(`the server ${ended}`)
    if (performance.now() > deadlineMs) throw new Error(`the server is not ready after ${startTimeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no free port'))
        else resolve(address.port)
      })
    })
  })
}

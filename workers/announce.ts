/** What is printed when the server is ready: where it is, and a command to try. */

import { join } from 'node:path'
import type { DialectName } from '../src/names/names.ts'
import { localUrl } from './addresses.ts'
import { packageVersion } from './build.ts'
import type { ListenerInfo } from './serving.ts'

interface ReadyFacts {
  readonly dialect: DialectName
  readonly listeners: readonly ListenerInfo[]
  /** Why the plaintext listener is not the fast one. */
  readonly plainNote: string | undefined
  readonly workers: number
  readonly dataDir: string
  readonly kubeconfigPath: string
  readonly tookMs: number
}

/** What is printed when a client may come. */
export function describeReady(facts: ReadyFacts): string {
  const { dialect, listeners, dataDir, kubeconfigPath, tookMs } = facts
  const rows: (readonly [string, string])[] = [
    ...listeners.map((one) => [one.scheme, describeListener(one, facts)] as const),
    ['data', dataDir],
    ['kubeconfig', kubeconfigPath],
  ]
  return `cluster-apiserver ${packageVersion()} is ready after ${(tookMs / 1000).toFixed(2)} s: API 1.30, dialect ${dialect}
${rows.map(([name, value]) => `  ${name.padEnd(11)} ${value}\n`).join('')}Try:
  ${tryCommand(facts, listeners[0])}
`
}

function describeListener({ transport, scheme, host, port }: ListenerInfo, facts: ReadyFacts): string {
  const through = transport === 'uws' ? 'uWebSockets.js' : `node:${scheme}`
  const note = scheme === 'http' && facts.plainNote !== undefined ? `; ${facts.plainNote}` : ''
  const by = facts.workers === 0 ? 'one process' : `${facts.workers} worker${facts.workers === 1 ? '' : 's'}`
  const everywhere = host === '0.0.0.0' || host === '::' ? ` and all addresses (${host})` : ''
  return `${localUrl(scheme, host, port)}${everywhere} (${through}, ${by}${note})`
}

function tryCommand(
  { dialect, dataDir, kubeconfigPath }: ReadyFacts,
  secure: ListenerInfo | undefined,
): string {
  if (dialect === 'kubernetes') return `kubectl --kubeconfig ${quote(kubeconfigPath)} get namespaces`
  const pki = (name: string): string => quote(join(dataDir, 'pki', name))
  const url = secure === undefined ? '' : localUrl(secure.scheme, secure.host, secure.port)
  return `curl --cacert ${pki('ca.crt')} --cert ${pki('admin.crt')} --key ${pki('admin.key')} ${url}/api/v1/namespaces`
}

/** For a shell. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

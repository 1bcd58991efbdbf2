/**
 * Where a server listens and how to be let in.
 */

import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { parse } from 'yaml'
import { isJsonObject, type JsonObject } from '../../src/json.ts'

export interface Endpoint {
  readonly host: string
  readonly port: number
  /** Absent = plaintext. */
  readonly tls: TlsSettings | undefined
  /** Bearer token; absent = the client certificate, or nobody. */
  readonly token: string | undefined
  /** What it was made of, for another thread to make it again. */
  readonly credentials: Credentials
}

interface TlsSettings {
  /** Made once and shared by all connections: building one for each would dominate the client's cost. */
  readonly context: SecureContext
  readonly verify: boolean
}

export interface Credentials {
  readonly server: string
  /** PEM; absent = the system's authorities. */
  readonly ca?: string | Uint8Array | undefined
  readonly cert?: string | Uint8Array | undefined
  readonly key?: string | Uint8Array | undefined
  readonly token?: string | undefined
  readonly insecure?: boolean
}

/** Throws on a server that is no `https://` or `http://` URL. */
export function createEndpoint(credentials: Credentials): Endpoint {
  const url = new URL(credentials.server)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`server ${credentials.server}: expected an https:// or http:// URL`)
  }
  const secure = url.protocol === 'https:'
  const { ca, cert, key } = credentials
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    token: credentials.token,
    credentials,
    tls: secure
      ? {
          context: createSecureContext({
            ...(ca === undefined ? {} : { ca: pemOf(ca) }),
            ...(cert === undefined ? {} : { cert: pemOf(cert) }),
            ...(key === undefined ? {} : { key: pemOf(key) }),
          }),
          verify: credentials.insecure !== true,
        }
      : undefined,
  }
}

/** Buffers arrive in another thread as plain bytes. */
function pemOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem)
}

/** Credentials of a kubeconfig's current context. Throws, naming the file, when it lacks a part. */
export function readKubeconfig(file: string): Credentials {
  const config: unknown = parse(readFileSync(file, 'utf8'))
  const problem = (what: string) => new Error(`kubeconfig ${file}: ${what}`)
  if (!isJsonObject(config)) throw problem('not an object')
  const context = named(config, 'contexts', config['current-context'], 'context')
  if (context === undefined) throw problem('no current context')
  const cluster = named(config, 'clusters', context['cluster'], 'cluster')
  const user = named(config, 'users', context['user'], 'user')
  const server = cluster?.['server']
  if (cluster === undefined || typeof server !== 'string') throw problem('no server')
  if (user === undefined) throw problem('no user')
  const token = user['token']
  return {
    server,
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    token: typeof token === 'string' ? token : undefined,
    insecure: cluster['insecure-skip-tls-verify'] === true,
  }
}

function named(config: JsonObject, list: string, name: unknown, field: string): JsonObject | undefined {
  const entries = config[list]
  if (!Array.isArray(entries)) return undefined
  const entry: unknown = entries.find((candidate) => isJsonObject(candidate) && candidate['name'] === name)
  const found = isJsonObject(entry) ? entry[field] : undefined
  return isJsonObject(found) ? found : undefined
}

function pem(from: JsonObject, field: string): Buffer | undefined {
  const data = from[`${field}-data`]
  if (typeof data === 'string') return Buffer.from(data, 'base64')
  const path = from[field]
  return typeof path === 'string' ? readFileSync(path) : undefined
}

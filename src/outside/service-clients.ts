/** How webhooks are reached: their addresses, and one client for all that trust the same CA under the same name. */

import { fail, ok, type Result } from '../../store/contract.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { ClientConfig } from './client-config.ts'
import type { HttpClient, Outside } from './outside.ts'

/** Services of the cluster, by name. */
export interface Services {
  /** undefined = there is none. */
  get(name: {
    readonly namespace: string
    readonly name: string
  }): Promise<Result<ApiObject | undefined, { readonly message: string }>>
}

/** Longest answer; a patched object has at most so much. */
const answerBytesUsual = 8 * 1024 * 1024

interface Address {
  /** What is called. */
  readonly url: string
  /** What is spoken of: of a service, its name in place of its address. */
  readonly shown: string
  readonly serverName?: string
  readonly host?: string
}

export class ServiceClients {
  readonly #outside: Outside
  readonly #services: Services
  readonly #clients = new Map<string, HttpClient>()

  constructor(outside: Outside, services: Services) {
    this.#outside = outside
    this.#services = services
  }

  /** Gives the body of an answer of 2xx; the failure is a sentence. */
  async post(
    config: ClientConfig,
    body: Buffer,
    timeoutMs: number,
    answerBytesMax = answerBytesUsual,
  ): Promise<Result<Buffer, string>> {
    const address = config.type === 'url' ? urlAddress(config.url) : await this.#serviceAddress(config)
    if (!address.ok) return address
    const { url, shown, serverName, host } = address.value
    const client = this.#client(config.ca, serverName)
    if (!client.ok) return client
    const query = `?timeout=${timeoutMs / 1000}s`
    const answer = await client.value.request({
      method: 'POST',
      url: url + query,
      headers: { 'content-type': 'application/json', ...(host === undefined ? {} : { host }) },
      body,
      timeoutMs,
      answerBytesMax,
    })
    if (!answer.ok) {
      const { code, message } = answer.failure
      return fail(`Post "${shown}${query}": ${code === 'Timeout' ? 'context deadline exceeded' : message}`)
    }
    const { status } = answer.value
    return status >= 200 && status < 300 ? ok(answer.value.body) : fail(refusedBy(status, answer.value.body))
  }

  /** Forgets clients that none of these uses: their connections end. */
  keep(configs: readonly ClientConfig[]): void {
    const used = new Set(configs.map((config) => keyOf(config.ca, serverNameOf(config))))
    for (const [key, client] of this.#clients) {
      if (used.has(key)) continue
      this.#clients.delete(key)
      client.close()
    }
  }

  close(): void {
    this.keep([])
  }

  #client(ca: string | undefined, serverName: string | undefined): Result<HttpClient, string> {
    const key = keyOf(ca, serverName)
    const known = this.#clients.get(key)
    if (known !== undefined) return ok(known)
    const made = this.#outside.httpClient({
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { serverName }),
    })
    if (made.ok) this.#clients.set(key, made.value)
    return made
  }

  async #serviceAddress(config: ClientConfig & { type: 'service' }): Promise<Result<Address, string>> {
    const { namespace, name, port, path } = config
    const found = await this.#services.get({ namespace, name })
    if (!found.ok) return fail(found.failure.message)
    if (found.value === undefined) return fail(`service ${JSON.stringify(name)} not found`)
    const target = targetOf(found.value, port)
    if (!target.ok) return target
    const serverName = serverNameOf(config) ?? ''
    const rest = path === '' ? '/' : path
    return ok({
      url: `https://${target.value}:${port}${rest}`,
      shown: `https://${serverName}:${port}${rest}`,
      serverName,
      host: `${serverName}:${port}`,
    })
  }
}

function keyOf(ca: string | undefined, serverName: string | undefined): string {
  return `${serverName ?? ''}\n${ca ?? ''}`
}

/** The name that a service shows a certificate of. */
function serverNameOf(config: ClientConfig): string | undefined {
  return config.type === 'service' ? `${config.name}.${config.namespace}.svc` : undefined
}

function urlAddress(url: string): Result<Address, string> {
  return URL.canParse(url) ? ok({ url, shown: url }) : fail(`${JSON.stringify(url)} is no URL`)
}

/** The host that stands behind a service. */
function targetOf(service: ApiObject, port: number): Result<string, string> {
  const { name = '' } = service.metadata
  const spec = objectAt(service, 'spec')
  const type = textAt(spec, 'type')
  if (type === 'ExternalName') return ok(textAt(spec, 'externalName'))
  const address = textAt(spec, 'clusterIP')
  if (address === '' || address === 'None')
    return fail(`unable to route to service ${JSON.stringify(name)}: it has no cluster IP address`)
  if (!objectsAt(spec, 'ports').some((one) => one['port'] === port))
    return fail(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return ok(address.includes(':') ? `[${address}]` : address)
}

/** As clients of this API put the answers of a server. */
function refusedBy(status: number, body: Buffer): string {
  if (status === 404) return 'the server could not find the requested resource'
  if (status < 500) return 'the server rejected our request for an unknown reason'
  const said = body.toString('utf8').slice(0, 256)
  return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
}

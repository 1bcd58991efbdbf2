/** The agents of nodes (kubelets): where they listen, and how this server shows itself to them. */

import type { Clock, Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { HttpClientOptions, Outside, StreamedAnswer, StreamingClient } from '../outside/outside.ts'
import type { Headers } from '../pipeline/exchange.ts'
import type { ApiFailure } from '../status/status.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

export const nodeAddressTypes = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
] as const

type NodeAddressType = (typeof nodeAddressTypes)[number]

export interface NodeAgentOptions {
  /** Paths of PEM files. Without a CA the agents' certificates are not looked at. */
  readonly caFile: string | undefined
  readonly certificateFile: string | undefined
  readonly privateKeyFile: string | undefined
  /** The first type that a node has an address of. */
  readonly addressTypes: readonly NodeAddressType[]
  /** Until a connection stands. Milliseconds. */
  readonly timeoutMs: number
}

/** As the flags have it by default. */
export const defaultNodeAgents: NodeAgentOptions = {
  caFile: undefined,
  certificateFile: undefined,
  privateKeyFile: undefined,
  addressTypes: nodeAddressTypes,
  timeoutMs: 5_000,
}

/** What is asked of a backend. */
export interface Ask {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers?: Headers
  readonly body?: Buffer
}

export interface NodeAgents {
  /**
   * @param node as stored
   * @param insecure takes any certificate, whatever the options say
   */
  open(node: ApiObject, ask: Ask, insecure?: boolean): Promise<Result<StreamedAnswer, ApiFailure>>
  /** Where the agent listens. */
  addressOf(node: ApiObject): Result<AgentAddress, ApiFailure>
  /** Anything else in the cluster, by `http://host:port` or `https://…`: nobody vouches for it. */
  openAt(origin: string, ask: Ask): Promise<Result<StreamedAnswer, ApiFailure>>
  close(): void
}

interface AgentAddress {
  /** In brackets where it is an IPv6 address. */
  readonly host: string
  readonly port: number
}

const agentPortDefault = 10250
/** Certificates are short-lived: their files are read again after this long. */
const againMs = 60_000

/** Nothing is read or connected before the first call. */
export function createNodeAgents(
  options: NodeAgentOptions,
  { outside, clock }: { readonly outside: () => Promise<Outside>; readonly clock: Clock },
): NodeAgents {
  const clients = new Map<string, StreamingClient>()
  let readMs = Number.NEGATIVE_INFINITY
  let material: Result<HttpClientOptions, string> = fail('not read yet')

  async function clientFor(insecure: boolean): Promise<Result<StreamingClient, string>> {
    const world = await outside()
    if (!material.ok || clock.monotonicMs() - readMs >= againMs) {
      material = await readFiles(options, world)
      readMs = clock.monotonicMs()
    }
    if (!material.ok) return material
    return clientOf({ ...material.value, insecure: insecure || material.value.ca === undefined }, world)
  }

  /** A former client is left to those who use it: what it was asked may go on for days. */
  function clientOf(wanted: HttpClientOptions, world: Outside): Result<StreamingClient, string> {
    const shown = JSON.stringify(wanted)
    const known = clients.get(shown)
    if (known !== undefined) return ok(known)
    const made = world.streamingClient(wanted)
    if (made.ok) clients.set(shown, made.value)
    return made
  }

  async function ask(
    client: Result<StreamingClient, string>,
    origin: string,
    { target, ...asked }: Ask,
  ): Promise<Result<StreamedAnswer, ApiFailure>> {
    if (!client.ok) return fail(unknown(`the files of --kubelet-*: ${client.failure}`))
    const url = `${origin}${target}`
    const answer = await client.value.open({ ...asked, url, connectMs: options.timeoutMs })
    if (answer.ok) return answer
    return fail(unknown(`${asked.method} ${JSON.stringify(url)}: ${answer.failure.message}`))
  }

  return {
    async open(node, asked, insecure = false) {
      const address = addressOf(node, options.addressTypes)
      if (!address.ok) return address
      const { host, port } = address.value
      return ask(await clientFor(insecure), `https://${host}:${port}`, asked)
    },
    addressOf: (node) => addressOf(node, options.addressTypes),
    openAt: async (origin, asked) => ask(clientOf({ insecure: true }, await outside()), origin, asked),
    close() {
      for (const client of clients.values()) client.close()
    },
  }
}

/** Why the files cannot be used, as a sentence; undefined = they can be, or there are none. */
export async function nodeAgentProblem(
  options: NodeAgentOptions,
  outside: () => Promise<Outside>,
): Promise<string | undefined> {
  const { caFile, certificateFile } = options
  if (caFile === undefined && certificateFile === undefined) return undefined
  const world = await outside()
  const material = await readFiles(options, world)
  const client = material.ok ? world.streamingClient(material.value) : material
  if (!client.ok) return `--kubelet-*: ${client.failure}`
  client.value.close()
  return undefined
}

/** Fails with a sentence that names the file. */
async function readFiles(
  { caFile, certificateFile, privateKeyFile }: NodeAgentOptions,
  outside: Pick<Outside, 'readFile'>,
): Promise<Result<HttpClientOptions, string>> {
  const files = { ca: caFile, certificate: certificateFile, privateKey: privateKeyFile }
  const texts: Record<string, string> = {}
  for (const [part, path] of Object.entries(files)) {
    if (path === undefined) continue
    const text = await outside.readFile(path)
    if (!text.ok) return fail(`${path} ${text.failure}`)
    texts[part] = text.value
  }
  return ok(texts)
}

function addressOf(node: ApiObject, types: readonly NodeAddressType[]): Result<AgentAddress, ApiFailure> {
  const addresses = objectsAt(objectAt(node, 'status'), 'addresses')
  const port = objectAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint')?.['Port']
  for (const type of types) {
    const address = textAt(
      addresses.find((one) => one['type'] === type),
      'address',
    )
    if (address === '') continue
    const host = address.includes(':') ? `[${address}]` : address
    return ok({ host, port: typeof port === 'number' && port > 0 ? port : agentPortDefault })
  }
  const known = addresses.map((one) => textAt(one, 'type')).join(' ')
  return fail(unknown(`no preferred addresses found; known addresses: [${known}]`))
}

/** What goes wrong on the way to a node has no reason of its own. */
function unknown(message: string): ApiFailure {
  return { reason: 'InternalError', saidReason: '', message }
}

/** A server over TLS, a node with an agent that answers over TLS, and pods on it. */

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'
import type { NodeAgentOptions } from '../../../src/connect/node-agents.ts'
import type { ServerOptions } from '../../../src/server.ts'
import { ok } from '../../../store/contract.ts'
import { createStreamingClient } from '../../../workers/outside/streaming-client.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'
import { createTestAuthority, outsideWith, validNow } from '../../support/tls-service.ts'

const authority = await createTestAuthority('nodes-ca')
const client = await authority.issuer.client(
  authority.ca,
  { commonName: 'apiserver', organizations: [] },
  validNow(),
)
export const files = new Map([
  ['/ca.crt', authority.ca.certificate],
  ['/client.crt', client.certificate],
  ['/client.key', client.privateKey],
])
const agentOptions: NodeAgentOptions = {
  caFile: '/ca.crt',
  certificateFile: '/client.crt',
  privateKeyFile: '/client.key',
  addressTypes: ['ExternalIP', 'Hostname'],
  timeoutMs: 5_000,
}
export const pods = '/api/v1/namespaces/default/pods'

/** What answers in the cluster. */
export interface Backend {
  request?(request: IncomingMessage, response: ServerResponse): void
  upgrade?(request: IncomingMessage, socket: Socket, head: Buffer): void
}

interface Scene {
  readonly server: InProcessServer
  /** Requests to the agent, as `GET /path`. */
  readonly seen: readonly string[]
  create(path: string, body: object): Promise<void>
}

export function pod(name: string, containers: readonly string[], more: object = {}): object {
  return {
    metadata: { name },
    spec: { containers: containers.map((name) => ({ name, image: 'a' })), nodeName: 'one', ...more },
  }
}

/** @param plain what listens at 10.0.0.7, whatever the port, as far as the server can tell */
export async function startScene(
  t: Test,
  agent: Backend,
  {
    plain,
    agents,
    options,
  }: { plain?: Backend; agents?: Partial<NodeAgentOptions>; options?: Partial<ServerOptions> } = {},
): Promise<Scene> {
  const { port, seen } = await listen(t, agent, true)
  const elsewhere = plain === undefined ? undefined : await listen(t, plain, false)
  const server = await startInProcess({
    options: {
      nodeAgents: { ...agentOptions, ...agents },
      outside: async () => ({
        ...outsideWith(files),
        streamingClient(wanted) {
          const made = createStreamingClient(wanted)
          if (!made.ok) return made
          const moved = (url: string) => url.replace(/10\.0\.0\.7(?::\d+)?/, `127.0.0.1:${elsewhere?.port}`)
          return ok({
            ...made.value,
            open: (request) => made.value.open({ ...request, url: moved(request.url) }),
          })
        },
      }),
      admissionPlugins: { disable: ['ServiceAccount'] },
      ...options,
    },
  })
  t.teardown(() => server.close())
  const write = async (method: string, target: string, body: object, status: number): Promise<void> => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const answer = await server.request({ method, target, body, headers })
    if (answer.status !== status) throw new Error(`${target}: ${answer.body}`)
  }
  const create = (path: string, body: object) => write('POST', path, body, 201)
  await create('/api/v1/nodes', { metadata: { name: 'one' } })
  const status = {
    addresses: [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'localhost' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  }
  await write('PATCH', '/api/v1/nodes/one/status', { status }, 200)
  await create(pods, pod('single', ['main']))
  await create(pods, pod('several', ['a', 'b'], { initContainers: [{ name: 'setup', image: 'a' }] }))
  await create(pods, pod('waiting', ['main'], { nodeName: undefined }))
  await create(pods, pod('lost', ['main'], { nodeName: 'nowhere' }))
  return { server, seen, create }
}

async function listen(t: Test, backend: Backend, secure: boolean) {
  const seen: string[] = []
  const { certificate: cert, privateKey: key } = authority.serving
  const tls = { cert, key, ca: authority.ca.certificate, requestCert: true }
  const server = secure ? createServer(tls) : createHttpServer()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.method} ${request.url}`)
    backend.request?.(request, response)
  })
  if (backend.upgrade !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      seen.push(`${request.method} ${request.url}`)
      socket.on('error', () => {})
      t.teardown(() => socket.destroy())
      backend.upgrade?.(request, socket, head)
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return { port, seen }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** A server, and a webhook of the test's own over real TLS. Source: admission/v1 AdmissionReview. */

import type { JsonObject } from '../../../src/json.ts'
import type { TestRequest } from '../../api/server-under-test.ts'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'
import {
  createTestAuthority,
  sendJson,
  startTlsService,
  type TestAuthority,
  type TlsService,
} from '../../support/tls-service.ts'

interface ReviewRequest extends JsonObject {
  readonly uid: string
  readonly operation: string
  readonly object: JsonObject | null
  readonly oldObject: JsonObject | null
}

interface Asked {
  readonly path: string
  readonly request: ReviewRequest
}

/** A response without `uid`; by the path that is asked. */
type Answers = Record<string, (request: ReviewRequest) => JsonObject>

interface Scene {
  readonly server: InProcessServer
  readonly authority: TestAuthority
  readonly service: TlsService
  readonly asked: Asked[]
  readonly answers: Answers
}

export const authority = await createTestAuthority()

export async function scene(t: { teardown(action: () => unknown): void }): Promise<Scene> {
  const answers: Answers = {}
  const asked: Asked[] = []
  const service = await startTlsService(t, authority, ({ url = '' }, response, body) => {
    const path = url.replace(/\?.*/, '')
    const { request, apiVersion } = JSON.parse(body)
    if (!path.startsWith('/marker-')) asked.push({ path, request })
    const answer = answers[path]?.(request) ?? { allowed: true }
    sendJson(response, { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, ...answer } })
  })
  const server = await startInProcess()
  t.teardown(() => server.close())
  return { server, authority, service, asked, answers }
}

export const group = 'admissionregistration.k8s.io'
let configurations = 0

export function hook({ service }: Scene, path: string, more: JsonObject = {}): JsonObject {
  return {
    name: `${path.slice(1)}.example.com`,
    clientConfig: {
      url: `${service.url}${path}`,
      caBundle: Buffer.from(authority.ca.certificate).toString('base64'),
    },
    rules: [rule(['*'], ['configmaps'])],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  }
}

export function rule(
  operations: readonly string[],
  resources: readonly string[],
  more: JsonObject = {},
): JsonObject {
  return { operations, resources, apiGroups: [''], apiVersions: ['v1'], ...more }
}

/** Creates the configuration, and waits until it counts. */
export async function install(
  at: Scene,
  kind: 'Mutating' | 'Validating',
  webhooks: readonly JsonObject[],
): Promise<string> {
  const name = `config-${++configurations}`
  const path = `/marker-${name}`
  const marker = hook(at, path, {
    rules: [{ ...rule(['CREATE'], ['leases']), apiGroups: ['coordination.k8s.io'] }],
  })
  const plural = `${kind.toLowerCase()}webhookconfigurations`
  const made = await send(at, {
    method: 'POST',
    target: `/apis/${group}/v1/${plural}`,
    body: {
      apiVersion: `${group}/v1`,
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [...webhooks, marker],
    },
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await eventually('the configuration to count', async () => {
    const lease = { metadata: { name: 'probe' } }
    const target = '/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All'
    await send(at, { method: 'POST', target, body: lease })
    return at.service.seen.some((one) => one.startsWith(`POST ${path}?`))
  })
  return `/apis/${group}/v1/${plural}/${name}`
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: JsonObject
}

export async function send({ server }: Scene, request: TestRequest): Promise<Answered> {
  const { status, headers, body } = await server.request(request)
  return { status, headers, body: JSON.parse(body.toString('utf8')) }
}

export const maps = '/api/v1/namespaces/default/configmaps'

export function create(at: Scene, name: string, more: JsonObject = {}, target = maps) {
  const { metadata = {}, ...rest } = more
  const body = { metadata: { name, ...(metadata as JsonObject) }, ...rest }
  return send(at, { method: 'POST', target, body })
}

export function patchOf(...operations: readonly JsonObject[]): JsonObject {
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  }
}

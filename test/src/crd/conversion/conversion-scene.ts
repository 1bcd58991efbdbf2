/** A definition with two versions, one field of another name in each, and a webhook of the test's own over real TLS. */

import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../../../../src/json.ts'
import { type InProcessServer, startInProcess } from '../../../support/in-process-server.ts'
import {
  createTestAuthority,
  sendJson,
  startTlsService,
  type TlsService,
  validNow,
} from '../../../support/tls-service.ts'
import { type Client, clientOf, cronTabs, establish } from '../serving/crontabs.ts'

export const group = 'stable.example.com'
const { issuer, ca } = await createTestAuthority()
const authority = {
  issuer,
  ca,
  serving: await issuer.serving(ca, ['localhost', 'converter.default.svc'], validNow()),
}
export const authorityBundle = Buffer.from(authority.ca.certificate).toString('base64')

export function path(version: string, more = ''): string {
  return `/apis/${group}/${version}/namespaces/default/widgets${more}`
}

interface Thing extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject & { readonly name: string }
  readonly spec?: JsonObject
}

/** What the webhook is asked. */
export interface Review {
  readonly apiVersion: string
  readonly uid: string
  readonly to: string
  readonly objects: readonly Thing[]
}

/** Members of `response`, but for the uid. */
type Converts = (review: Review) => JsonObject

/** `size` of v1 is `count` of v2. */
export function renamed({ to, objects }: Review): readonly Thing[] {
  return objects.map((object) => {
    const { size, count, ...rest } = object.spec ?? {}
    const value = size ?? count
    const spec = value === undefined ? rest : { ...rest, [to.endsWith('/v1') ? 'size' : 'count']: value }
    return { ...object, apiVersion: to, spec }
  })
}

export const good: Converts = (review) => ({
  result: { status: 'Success' },
  convertedObjects: renamed(review),
})

export interface Scene {
  readonly server: InProcessServer
  readonly client: Client
  readonly service: TlsService
  /** All that the webhook was asked. */
  readonly reviews: Review[]
  /** What it does from now on; undefined = it does not answer. */
  converts: Converts | undefined
  /** What else the service answers, by path. */
  readonly others: Others
}

interface Choices {
  readonly storage?: 'v1' | 'v2'
  readonly strategy?: 'None' | 'Webhook'
  /** Names the webhook by a service of this port. */
  readonly servicePort?: number
  /** Of each version, by the name of its field. */
  readonly subresources?: (field: string) => JsonObject
}

const text = { type: 'string' }

function schemaOf(field: string): JsonObject {
  const spec = { type: 'object', properties: { [field]: { type: 'integer', minimum: 0 }, note: text } }
  return {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec,
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  }
}

export function definitionOf(
  { storage = 'v1', strategy = 'Webhook', subresources, servicePort }: Choices,
  url: string,
): { metadata: { name: string }; spec: JsonObject } & JsonObject {
  const version = (name: string, field: string): JsonObject => ({
    name,
    served: true,
    storage: storage === name,
    schema: schemaOf(field),
    ...(subresources === undefined ? {} : { subresources: subresources(field) }),
  })
  const made = cronTabs({
    plural: 'widgets',
    kind: 'Widget',
    versions: [version('v1', 'size'), version('v2', 'count')],
  })
  const clientConfig =
    servicePort === undefined
      ? { url: `${url}/convert` }
      : { service: { namespace: 'default', name: 'converter', port: servicePort, path: '/there' } }
  const webhook = {
    clientConfig: { ...clientConfig, caBundle: authorityBundle },
    conversionReviewVersions: ['v1'],
  }
  const conversion = strategy === 'None' ? { strategy } : { strategy, webhook }
  return { ...made, spec: { ...made.spec, conversion } as unknown as JsonObject }
}

type Others = Record<string, (response: ServerResponse, body: string) => void>

/** The webhook alone. */
export function startConverter(
  t: { teardown(action: () => unknown): void },
  converts: (review: Review) => JsonObject | undefined,
  others: Others = {},
): Promise<TlsService> {
  return startTlsService(t, authority, ({ url = '' }, response, body) => {
    const other = others[url.replace(/\?.*/, '')]
    if (other !== undefined) {
      other(response, body)
      return
    }
    const { apiVersion, request } = JSON.parse(body)
    const { uid, desiredAPIVersion: to, objects } = request
    const answer = converts({ apiVersion, uid, to, objects })
    if (answer === undefined) return
    sendJson(response, { apiVersion, kind: 'ConversionReview', response: { uid, ...answer } })
  })
}

export async function scene(
  t: { teardown(action: () => unknown): void },
  choices: Choices = {},
): Promise<Scene> {
  const reviews: Review[] = []
  const others: Others = {}
  const converts = (review: Review): JsonObject | undefined => {
    reviews.push(review)
    return at.converts?.(review)
  }
  const service = await startConverter(t, converts, others)
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  const at: Scene = { server, client, service, reviews, converts: good, others }
  await establish(client, definitionOf(choices, service.url))
  return at
}

export function widget(version: string, name: string, rest: object = {}) {
  return { apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name }, ...rest }
}

export function create(
  { client }: Scene,
  version: string,
  name: string,
  spec: JsonObject,
): ReturnType<Client['post']> {
  return client.post(path(version), widget(version, name, { spec }))
}

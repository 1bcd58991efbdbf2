/** A definition to test with, and a client that speaks JSON. */

import type { ServerUnderTest, TestAnswer, TestWatch } from '../../../api/server-under-test.ts'
import { eventually } from '../../../support/eventually.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are matched, not used
type Json = any

interface JsonAnswer extends Pick<TestAnswer, 'status' | 'headers'> {
  readonly body: Json
}

type Headers = Readonly<Record<string, string>>

export interface Client {
  get(target: string, headers?: Headers): Promise<JsonAnswer>
  post(target: string, body: object): Promise<JsonAnswer>
  put(target: string, body: object): Promise<JsonAnswer>
  patch(target: string, body: object, type?: string): Promise<JsonAnswer>
  delete(target: string): Promise<JsonAnswer>
  watch(target: string): Promise<TestWatch>
}

export function clientOf(server: ServerUnderTest): Client {
  async function ask(method: string, target: string, body?: object, more: Headers = {}) {
    const headers = body === undefined ? more : { 'content-type': 'application/json', ...more }
    const answer = await server.request({
      method,
      target,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = answer.body.toString('utf8')
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    get: (target, headers) => ask('GET', target, undefined, headers),
    post: (target, body) => ask('POST', target, body),
    put: (target, body) => ask('PUT', target, body),
    patch: (target, body, type = 'application/merge-patch+json') =>
      ask('PATCH', target, body, { 'content-type': type }),
    delete: (target) => ask('DELETE', target),
    watch: (target) => server.watch({ method: 'GET', target }),
  }
}

/** Of the definition that `cronTabs` makes without choices. */
export function cronTab(name: string, rest: object = {}) {
  return { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name }, ...rest }
}

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        cronSpec: { type: 'string' },
        image: { type: 'string' },
        replicas: { type: 'integer' },
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}

interface Choices {
  readonly plural?: string
  readonly kind?: string
  readonly group?: string
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  /** Members of the one version, v1. */
  readonly version?: object
  readonly versions?: readonly object[]
}

export function cronTabs({
  plural = 'crontabs',
  kind = 'CronTab',
  group = 'stable.example.com',
  scope = 'Namespaced',
  shortNames = [],
  version = {},
  versions,
}: Choices = {}) {
  const one = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames.length === 0 ? {} : { shortNames }),
      },
      versions: versions ?? [one],
    },
  }
}

/** Creates a definition and waits until it is established. */
export async function establish(client: Client, definition: { metadata: { name: string } }): Promise<Json> {
  const created = await client.post(definitionsPath, definition)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  let body: Json
  await eventually(`${definition.metadata.name} to be established`, async () => {
    body = (await client.get(`${definitionsPath}/${definition.metadata.name}`)).body
    return conditionOf(body, 'Established')?.status === 'True'
  })
  return body
}

function conditionOf(definition: Json, type: string): Json {
  return definition.status?.conditions?.find((one: Json) => one.type === type)
}

/** Every list call of every generated class of `@kubernetes/client-node` is understood, whatever the version. */

import * as client from '@kubernetes/client-node'
import t from 'tap'
import { startServerProcess } from '../support/server-process.ts'

type Call = (parameters: { readonly namespace: string }) => Promise<unknown>

interface ListCall {
  readonly api: string
  readonly name: string
  readonly call: Call
}

/** Classes of group versions, not of the server's other endpoints. */
const versioned = /V\d+((alpha|beta)\d+)?Api$/
/** The calls themselves, not those that give the raw answer. */
const listing = /^list(?!.*WithHttpInfo$)/

/** Of releases after 1.30, or behind a gate of their own: the client is generated from a later release. */
const notServed: readonly RegExp[] = [
  /^Resource(V1|V1alpha3|V1beta1|V1beta2)Api\./,
  /^Coordination(V1alpha2|V1beta1)Api\.list.*LeaseCandidate/,
  /^Networking(V1|V1beta1)Api\.list(IPAddress|ServiceCIDR)$/,
  /^Storage(V1|V1beta1)Api\.listVolumeAttributesClass$/,
  /\.listMutatingAdmissionPolicy(Binding)?$/,
  /\.list.*PodCertificateRequest/,
  /\.listClusterTrustBundle$/,
  /\.listStorageVersionMigration$/,
]

function listCalls(config: client.KubeConfig): readonly ListCall[] {
  const calls: ListCall[] = []
  for (const [name, exported] of Object.entries(client)) {
    if (!versioned.test(name) || typeof exported !== 'function') continue
    const api: object = config.makeApiClient(exported as client.ApiConstructor<client.CoreV1Api>)
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(api))) {
      if (!listing.test(method)) continue
      const call: unknown = Reflect.get(api, method)
      if (typeof call === 'function') calls.push({ api: name, name: method, call: call.bind(api) })
    }
  }
  return calls
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : error

t.test('list calls', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '1', '--runtime-config', 'api/all=true'] })
  const config = server.kubeConfig()
  const calls = listCalls(config)
  t.ok(calls.length > 100, `${calls.length} calls`)
  for (const { api, name, call } of calls) {
    const id = `${api}.${name}`
    const code = await call({ namespace: 'default' }).then(() => 200, codeOf)
    t.equal(code, notServed.some((pattern) => pattern.test(id)) ? 404 : 200, id)
  }
})

/** Paths outside the resources: discovery, health, version, metrics. Source: specification, "Health endpoints". */

import type { IssuerDiscovery } from '../authn/service-account/issuer-discovery.ts'
import type { Discovery } from '../discovery/discovery.ts'
import type { Health, HealthEndpoint } from '../discovery/health.ts'
import { type DumpName, dumpNames } from '../flowcontrol/dump.ts'
import type { OpenApi } from '../openapi/serve.ts'
import { removedResource, unknownResource } from '../status/failures.ts'
import type { Lifecycle } from '../types/lifecycle.ts'
import { type Answer, failureAnswer, jsonAnswer, textAnswer } from './answer.ts'
import type { NonResources } from './parts.ts'

interface NonResourceParts {
  readonly discovery: Discovery
  readonly openApi: OpenApi
  readonly health: Health
  /** Of the tokens of service accounts; undefined = they cannot be discovered. */
  readonly issuer: IssuerDiscovery | undefined
  /** Body of `/version`. */
  readonly version: object
  /** Bodies of `/metrics` and `/metrics/slis`. */
  readonly metricsText: () => Promise<{ readonly metrics: string; readonly indicators: string }>
  /** Knows which versions were served once. */
  readonly lifecycle: Lifecycle
  /** Tables of flow control; undefined = there are none. */
  dump(name: DumpName, withDetails: boolean): string | undefined
  /** Waits until all types that the store knows of are known here. */
  refreshTypes(): Promise<unknown>
}

const dumpFolder = '/debug/api_priority_and_fairness/'
const detailsParameter = 'includeRequestDetails'
const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'
const versionPath = /^\/apis\/([^/]+)\/([^/]+)\/?$/
const showsCustomTypes = /^\/(apis|openapi)(\/|$)/
const healthPath = /^\/(healthz|livez|readyz)(?:\/(.+))?$/

export function createNonResources({
  discovery,
  openApi,
  health,
  issuer,
  version,
  metricsText,
  lifecycle,
  refreshTypes,
  dump,
}: NonResourceParts): NonResources {
  /** Every path that can be asked for, for people who look around. */
  const rootPaths = [
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
    ...(issuer?.paths ?? []),
  ].sort()

  return {
    async serve({ path }, exchange, query): Promise<Answer> {
      // Whoever has seen a definition established finds it here. Where the store cannot tell, what is known is shown.
      if (showsCustomTypes.test(path)) await refreshTypes()
      const found = discovery.serve(path, exchange, query) ?? openApi.serve(path, exchange, query)
      if (found !== undefined) return found
      const ofIssuer = issuer?.serve(path)
      if (ofIssuer !== undefined) return ofIssuer
      const healthAsked = healthPath.exec(path)
      if (healthAsked !== null) {
        const endpoint = endpoints.find((one) => one === healthAsked[1])
        if (endpoint !== undefined) return health.serve(endpoint, healthAsked[2] ?? '', query)
      }
      const dumpAsked = dumpNames.find((name) => path === dumpFolder + name)
      const dumped =
        dumpAsked === undefined ? undefined : dump(dumpAsked, (query.text(detailsParameter) ?? '') !== '')
      if (dumped !== undefined) return textAnswer(200, dumped)
      switch (path) {
        case '/':
          return jsonAnswer(200, { paths: rootPaths })
        case '/version':
          return jsonAnswer(200, version)
        case '/metrics':
          return metricsAnswer((await metricsText()).metrics)
        case '/metrics/slis':
          return metricsAnswer((await metricsText()).indicators)
        default:
          return unknownPath(path, lifecycle)
      }
    },
  }
}

function metricsAnswer(text: string): Answer {
  return { type: 'body', code: 200, contentType: prometheusType, body: Buffer.from(text) }
}

const endpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz']

function unknownPath(path: string, lifecycle: Lifecycle): Answer {
  if (!path.startsWith('/api')) return textAnswer(404, '404 page not found\n')
  const [, group = '', version = ''] = versionPath.exec(path) ?? []
  const removal = lifecycle.removal(group, version, '')
  return failureAnswer(removal === undefined ? unknownResource : removedResource(removal))
}

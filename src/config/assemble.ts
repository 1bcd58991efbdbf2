/** Puts the parts of the server together. Nothing runs before `start`. */

import { createHash } from 'node:crypto'
import { createLookups } from '../admission/lookup.ts'
import { whenReady } from '../admission/ready.ts'
import type { PluginName } from '../admission/selection.ts'
import { createAuditor } from '../audit/auditor.ts'
import { createBodyReader } from '../audit/body-reader.ts'
import { createReviews } from '../authz/reviews/reviews.ts'
import { createNodeAgents, defaultNodeAgents } from '../connect/node-agents.ts'
import type { ControllerName } from '../controllers/selection.ts'
import { createConversions } from '../crd/conversion/conversions.ts'
import { createLiveTypes } from '../crd/serving/live-types.ts'
import { serveDefinitions } from '../crd/serving/serve-definitions.ts'
import { createDiscovery } from '../discovery/discovery.ts'
import { createHealth } from '../discovery/health.ts'
import { createHealthChecks, type Lifecycle } from '../discovery/health-checks.ts'
import { createGate } from '../flowcontrol/create-gate.ts'
import { defaultFlowControl } from '../flowcontrol/options.ts'
import { AccessMetrics } from '../observe/access-metrics.ts'
import { HealthMetrics } from '../observe/health-metrics.ts'
import { RequestMetrics } from '../observe/request-metrics.ts'
import { createOpenApi } from '../openapi/serve.ts'
import { Calls } from '../pipeline/calls.ts'
import { createConductor } from '../pipeline/conductor.ts'
import { createFailureAnswers } from '../pipeline/failure-answers.ts'
import { createIdentifiers } from '../pipeline/identifiers.ts'
import { createNonResources } from '../pipeline/non-resources.ts'
import type { Machinery } from '../registry/machinery.ts'
import { createObjectSchema } from '../registry/object-schema.ts'
import { createRouter } from '../registry/router.ts'
import { createServiceAllocation } from '../registry/services/service-allocation.ts'
import type { ApiServer, ServerOptions } from '../server.ts'
import { createStorage } from '../storage/storage.ts'
import { createColumns } from '../types/columns/columns.ts'
import { isGateOpen } from '../types/feature-gates.ts'
import { createLifecycle } from '../types/lifecycle.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { createAccess } from './access.ts'
import { createChain } from './admission.ts'
import { createDuties } from './duties.ts'
import { createServerMetrics } from './metrics.ts'
import { createQuotaLedger } from './quotas.ts'
import { versionDocument } from './version.ts'

/** As long as discovery waits for the newest definitions: without a quorum it shows what is known. */
const discoveryWaitMs = 1000

/** Puts the server together; nothing runs before its `start()`. */
export function assemble(
  options: ServerOptions,
  builtIn: TypeRegistry,
  plugins: readonly PluginName[],
  selected: ReadonlySet<ControllerName>,
): ApiServer {
  const { clock, log, names, store } = options
  const identifiers = createIdentifiers(options.randomBytes)
  const storage = createStorage({ store, clock, random: identifiers.fraction })
  const conversions = createConversions({
    names,
    clock,
    log,
    uuid: identifiers.uuid,
    outside: options.outside,
    services: () => createLookups(builtIn, storage)('core/services'),
  })
  const types = createLiveTypes(builtIn, conversions)
  const definitions = serveDefinitions({ names, clock, log, types, storage })
  const access = createAccess(options, types, storage)
  const { authorizer } = access
  const schema = createObjectSchema(options)
  const chain = createChain({
    names,
    clock,
    log,
    identifiers,
    types,
    storage,
    schema,
    authorizer,
    outside: options.outside,
    ledger: createQuotaLedger(() => ({ machinery, routes: router })),
    plugins,
    always: access.admission,
  })
  const machinery: Machinery = {
    names,
    clock,
    identifiers,
    log,
    types,
    storage,
    columnsOf: createColumns(names),
    schema,
    admission: chain.admission,
    allocations: new Map([
      ['core/services', createServiceAllocation(options.services, identifiers.fraction)],
    ]),
    minRequestTimeoutMs: options.minRequestTimeoutMs,
    watchList: isGateOpen(options.featureGates, 'WatchList'),
  }
  const calls = new Calls(clock)
  const operations = new Map([
    ...createReviews({ names, ...access, apiAudiences: access.serviceAccounts?.apiAudiences ?? [] }),
    ...(access.serviceAccounts?.operations(machinery) ?? []),
  ])
  const agents = createNodeAgents(options.nodeAgents ?? defaultNodeAgents, {
    outside: options.outside,
    clock,
  })
  const router = createRouter({ machinery, register: calls, operations, agents })
  const lifecycle: Lifecycle = { startedMs: clock.monotonicMs(), bootstrapped: false, draining: false }
  const accessMetrics = new AccessMetrics()
  const requestMetrics = new RequestMetrics(router)
  const healthMetrics = new HealthMetrics(names)
  const gate = createGate(options.flowControl ?? defaultFlowControl, {
    names,
    types,
    storage,
    clock,
    log,
    loadOf({ group, version, resource, namespace }) {
      const stored = types.resource(group, version, resource)?.storage
      return stored === undefined
        ? undefined
        : storage.load(stored.prefix, namespace === '' ? undefined : namespace)
    },
  })
  const { audit } = options
  const metrics = createServerMetrics({
    options,
    storage,
    types,
    calls,
    requests: requestMetrics,
    access: accessMetrics,
    health: healthMetrics,
    more: [
      () => gate.metricsText(),
      access.metricsText,
      chain.metricsText,
      conversions.metricsText,
      ...(access.serviceAccounts === undefined ? [] : [access.serviceAccounts.uses.text]),
    ],
  })
  const duties = createDuties({ options, machinery, router, access, selected })
  const health = createHealth(
    createHealthChecks({ clock, storage, lifecycle, livezGracePeriodMs: options.livezGracePeriodMs }),
    {
      checked: (name, endpoint, healthy) => healthMetrics.checked(name, endpoint, healthy),
      failed: ({ endpoint, failures }) =>
        log.warn('not healthy', { endpoint, checks: [...failures].join('; ') }),
    },
  )
  const handler = createConductor({
    names,
    clock,
    log,
    identifiers,
    authenticator: access.authenticator,
    gate,
    authorizer,
    answerFailure: createFailureAnswers(names, types.message),
    router,
    nonResources: createNonResources({
      discovery: createDiscovery(types, names, options.advertiseAddress),
      openApi: createOpenApi({
        names,
        types,
        gitVersion: options.build.gitVersion,
        hash: (bytes) => createHash('sha512').update(bytes).digest('hex').toUpperCase(),
        wallMs: () => clock.wallMs(),
      }),
      health,
      dump: (name, withDetails) => gate.dump(name, withDetails),
      issuer: access.serviceAccounts?.discovery,
      version: versionDocument(options.build),
      metricsText: metrics.shown,
      lifecycle: createLifecycle(names),
      refreshTypes: () => whenReady(types.refresh(), clock, discoveryWaitMs),
    }),
    calls,
    metrics: requestMetrics,
    accessMetrics,
    ...(audit === undefined
      ? {}
      : {
          auditing: {
            auditor: createAuditor({ ...audit, clock, names }),
            metrics: audit.metrics,
            readBody: createBodyReader(names, types),
          },
        }),
    requestTimeoutMs: options.requestTimeoutMs,
    compression: isGateOpen(options.featureGates, 'APIResponseCompression'),
  })
  return {
    handler,
    async start() {
      metrics.start()
      definitions?.start()
      access.start()
      gate.start()
      chain.start()
      await duties.start(() => {
        lifecycle.bootstrapped = true
      })
    },
    drain() {
      lifecycle.draining = true
      duties.leave()
    },
    async close() {
      lifecycle.draining = true
      const released = duties.close()
      calls.closeWatches()
      await calls.idle()
      await released
      access.close()
      gate.close()
      chain.close()
      conversions.close()
      agents.close()
      definitions?.close()
      await storage.close()
      await audit?.sink.close()
      metrics.close()
    },
    metricsText: metrics.text,
    inFlight: () => ({ requests: calls.requests, watches: calls.watches }),
  }
}

/** Access control of one server: who asks, and what they may do. Nothing runs before `start`. */

import type { AdmissionPlugin } from '../admission/admission.ts'
import { createAudienceAgnostic } from '../authn/audience-agnostic.ts'
import {
  type Authenticator,
  createAuthenticators,
  createBearerAuthenticator,
  createCertificateAuthenticator,
  createStaticTokenAuthenticator,
  createTokenAuthenticators,
  type TokenAuthenticator,
} from '../authn/authenticate.ts'
import { createBootstrapTokenAuthenticator } from '../authn/bootstrap-token.ts'
import { createAbacAuthorizer } from '../authz/abac/authorizer.ts'
import {
  type AuthorizationModule,
  type Authorizer,
  createAuthorizers,
  createRulesFor,
  type RulesFor,
} from '../authz/authorizer.ts'
import { createCreatePermission } from '../authz/create-permission.ts'
import { DecisionCounts } from '../authz/decision-counts.ts'
import { type AuthorizationMode, alwaysAllow, alwaysDeny, type BuiltInMode } from '../authz/modes.ts'
import { createNodeAuthorizer } from '../authz/node/authorizer.ts'
import { createGraphSource, type GraphSource } from '../authz/node/graph-source.ts'
import { privilegedGroupAuthorizer, publicPathAuthorizer } from '../authz/privileged.ts'
import { createRbacAuthorizer, type RbacAuthorizer } from '../authz/rbac/authorizer.ts'
import { compileRole } from '../authz/rbac/compiled-role.ts'
import { defaultPolicy } from '../authz/rbac/defaults/policy.ts'
import { createEscalationPrevention } from '../authz/rbac/escalation.ts'
import { createPolicySource } from '../authz/rbac/policy-source.ts'
import { rulesOf } from '../authz/rbac/rule.ts'
import type { ServerOptions } from '../server.ts'
import type { ResourceStorage, Storage } from '../storage/contract.ts'
import type { TypeRegistry } from '../types/resource.ts'
import type { BuiltIn } from './authorizer-chain.ts'
import { createServiceAccounts, type ServiceAccounts } from './service-accounts.ts'

export interface Access {
  readonly authenticator: Authenticator
  readonly tokens: TokenAuthenticator
  /** Undefined = no tokens of service accounts. */
  readonly serviceAccounts: ServiceAccounts | undefined
  readonly authorizer: Authorizer
  readonly rulesFor: RulesFor
  /** Plugins that belong to access control itself: they run behind all others that mutate. */
  readonly admission: readonly AdmissionPlugin[]
  /** Prometheus text of what was counted here. */
  metricsText(): string
  start(): void
  /** Waits until the default roles count: undefined = they do, else what is in the way. */
  ready(): Promise<string | undefined>
  close(): void
}

const defaultModes: readonly AuthorizationMode[] = ['Node', 'RBAC']

export function createAccess(options: ServerOptions, types: TypeRegistry, storage: Storage): Access {
  const { clock, log, names, authorizationModes = defaultModes, anonymousAuth = true, external } = options
  const group = names.expand('rbac.authorization.{groups}')
  const policies = createPolicySource({ names, types, storage, clock, log })
  const graph = createGraphSource({ names, types, storage, clock, log })
  const rbac = createRbacAuthorizer({ index: policies.index, group, loading: policies.loading })
  const builtIn = createBuiltIns(rbac, graph, options)
  const decisions = new DecisionCounts()
  const modules = external?.authorizers
    ? [external.authorizers.module(builtIn)]
    : authorizationModes.map((mode) =>
        decisions.counted(mode === 'Webhook' ? alwaysDeny : builtIn(mode), {
          type: mode,
          name: mode.toLowerCase(),
        }),
      )
  const authorizer = createAuthorizers([privilegedGroupAuthorizer, publicPathAuthorizer, ...modules])
  const serviceAccounts =
    options.serviceAccounts === undefined
      ? undefined
      : createServiceAccounts(options.serviceAccounts, options, types, storage)
  const tokens = createTokenAuthenticators([
    createAudienceAgnostic(
      createStaticTokenAuthenticator(options.staticTokens),
      serviceAccounts?.apiAudiences ?? [],
    ),
    ...(serviceAccounts === undefined ? [] : [serviceAccounts.authenticator]),
    ...bootstrapTokens(options, types, storage).map((one) =>
      createAudienceAgnostic(one, serviceAccounts?.apiAudiences ?? []),
    ),
    ...(external?.tokens ?? []),
  ])

  function storageOf(plural: string): ResourceStorage | undefined {
    const identity = types.resource(group, 'v1', plural)?.storage
    return identity === undefined ? undefined : storage.resource(identity)
  }

  const [roles, clusterRoles] = [storageOf('roles'), storageOf('clusterroles')]

  return {
    authenticator: createAuthenticators(
      [
        ...(external?.requestHeader === undefined ? [] : [external.requestHeader]),
        createCertificateAuthenticator(),
        createBearerAuthenticator(tokens),
      ],
      {
        anonymousAllowed: anonymousAuth,
      },
    ),
    tokens,
    serviceAccounts,
    authorizer,
    rulesFor: createRulesFor(modules),
    admission: [
      createCreatePermission(authorizer),
      ...(roles === undefined || clusterRoles === undefined
        ? []
        : [createEscalationPrevention({ group, authorizer, rbac, roles, clusterRoles })]),
    ],
    metricsText: () => (external?.authorizers === undefined ? decisions.text() : ''),
    start() {
      policies.start()
      external?.start()
    },
    async ready() {
      const { roles: defaultRoles, bindings } = defaultPolicy(names, options.featureGates)
      const wanted = clusterRoles === undefined ? [] : [...defaultRoles, ...bindings]
      const complete = await policies.heardOf(wanted, readyMs)
      return complete ? undefined : 'the default roles have not all been seen'
    },
    close() {
      external?.close()
      policies.close()
      graph.close()
    },
  }
}

/** None where nobody asked for it. */
function bootstrapTokens(
  { bootstrapTokens: enabled = false, names, clock }: ServerOptions,
  types: TypeRegistry,
  storage: Storage,
): readonly TokenAuthenticator[] {
  const identity = types.resource('', 'v1', 'secrets')?.storage
  if (!enabled || identity === undefined) return []
  return [createBootstrapTokenAuthenticator({ names, clock, secrets: storage.resource(identity) })]
}

/** Each module is made once, when a mode first asks for it. */
function createBuiltIns(rbac: RbacAuthorizer, source: GraphSource, options: ServerOptions): BuiltIn {
  const made = new Map<BuiltInMode, AuthorizationModule>()
  return (mode) => {
    const module = made.get(mode) ?? moduleOf(mode, rbac, source, options)
    made.set(mode, module)
    return module
  }
}

function moduleOf(
  mode: BuiltInMode,
  rbac: RbacAuthorizer,
  source: GraphSource,
  { names, featureGates, abacPolicies = [] }: ServerOptions,
): AuthorizationModule {
  switch (mode) {
    case 'RBAC':
      return rbac
    case 'Node': {
      const agent = defaultPolicy(names, featureGates).roles.find(
        ({ metadata }) => metadata.name === nodeRole,
      )
      const role = compileRole(agent === undefined ? [] : rulesOf({ ...agent }))
      return createNodeAuthorizer({ names, graph: source.graph, role, loading: source.loading })
    }
    case 'ABAC':
      return createAbacAuthorizer(abacPolicies)
    case 'AlwaysAllow':
      return alwaysAllow
    case 'AlwaysDeny':
      return alwaysDeny
  }
}

/** How long one attempt waits for what has been written to come back. Milliseconds. */
const readyMs = 2000

const nodeRole = 'system:node'

/** Access control that rests on others, as flags say it: checked against each other and completed. */

import type { SigningAlgorithm } from '../../src/authn/oidc/algorithms.ts'
import type { ExternalAccessConfig } from '../../src/config/external-access.ts'
import type { FlagName, FlagValues } from './table.ts'
import { externalAccessFlags } from './tables/external-access.ts'

const minute = 60_000
const defaultAlgorithms: readonly SigningAlgorithm[] = ['RS256']

export function externalAccessConfig(values: FlagValues): ExternalAccessConfig {
  const authentication = values['authentication-config']
  const authorization = values['authorization-config']
  return {
    ...oidc(values),
    ...tokenWebhook(values),
    ...requestHeader(values),
    ...authorizationWebhook(values),
    ...(authentication === undefined ? {} : { authenticationConfigFile: authentication }),
    ...(authorization === undefined ? {} : { authorizationConfigFile: authorization }),
  }
}

function oidc(values: FlagValues): ExternalAccessConfig {
  const { 'oidc-issuer-url': issuerUrl, 'oidc-client-id': clientId } = values
  if (issuerUrl === undefined || clientId === undefined) return {}
  return {
    oidc: {
      issuerUrl,
      clientId,
      usernameClaim: values['oidc-username-claim'] ?? 'sub',
      usernamePrefix: values['oidc-username-prefix'],
      groupsClaim: values['oidc-groups-claim'],
      groupsPrefix: values['oidc-groups-prefix'] ?? '',
      requiredClaims: values['oidc-required-claim'] ?? new Map(),
      signingAlgorithms: values['oidc-signing-algs'] ?? defaultAlgorithms,
      caFile: values['oidc-ca-file'],
    },
  }
}

function tokenWebhook(values: FlagValues): ExternalAccessConfig {
  const configFile = values['authentication-token-webhook-config-file']
  if (configFile === undefined) return {}
  return {
    tokenWebhook: {
      configFile,
      version: values['authentication-token-webhook-version'] ?? 'v1beta1',
      cacheTtlMs: values['authentication-token-webhook-cache-ttl'] ?? 2 * minute,
    },
  }
}

function requestHeader(values: FlagValues): ExternalAccessConfig {
  const usernameHeaders = values['requestheader-username-headers']
  if (usernameHeaders === undefined) return {}
  return {
    requestHeader: {
      usernameHeaders,
      allowedNames: values['requestheader-allowed-names'] ?? [],
      groupHeaders: values['requestheader-group-headers'] ?? [],
      extraPrefixes: values['requestheader-extra-headers-prefix'] ?? [],
    },
  }
}

function authorizationWebhook(values: FlagValues): ExternalAccessConfig {
  const configFile = values['authorization-webhook-config-file']
  const modes = values['authorization-mode']
  if (configFile === undefined || modes === undefined) return {}
  return {
    authorizationWebhook: {
      modes,
      configFile,
      version: values['authorization-webhook-version'] ?? 'v1beta1',
      authorizedTtlMs: values['authorization-webhook-cache-authorized-ttl'] ?? 5 * minute,
      unauthorizedTtlMs: values['authorization-webhook-cache-unauthorized-ttl'] ?? minute / 2,
    },
  }
}

/** Undefined = all is well. */
export function externalAccessContradiction(values: FlagValues): string | undefined {
  return (
    oidcContradiction(values) ??
    tokenWebhookContradiction(values) ??
    proxyContradiction(values) ??
    authorizationContradiction(values)
  )
}

function given(values: FlagValues, prefix: string): readonly string[] {
  const names = Object.keys(externalAccessFlags).filter((name): name is keyof typeof externalAccessFlags =>
    name.startsWith(prefix),
  )
  return names.filter((name: FlagName) => values[name] !== undefined)
}

function oidcContradiction(values: FlagValues): string | undefined {
  const [one] = given(values, 'oidc-')
  const file = values['authentication-config']
  if (file !== undefined && one !== undefined)
    return `--authentication-config contradicts --${one}: issuers stand in the file or in flags, not in both`
  if (
    one !== undefined &&
    (values['oidc-issuer-url'] === undefined || values['oidc-client-id'] === undefined)
  )
    return `--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* flag is set, found --${one}`
  return gateContradiction(values, 'authentication-config', 'StructuredAuthenticationConfiguration')
}

function tokenWebhookContradiction(values: FlagValues): string | undefined {
  const [one] = given(values, 'authentication-token-webhook-')
  return one !== undefined && values['authentication-token-webhook-config-file'] === undefined
    ? `--${one} needs --authentication-token-webhook-config-file`
    : undefined
}

function proxyContradiction(values: FlagValues): string | undefined {
  const [one] = given(values, 'requestheader-')
  if (one === undefined) return undefined
  for (const needed of ['requestheader-client-ca-file', 'requestheader-username-headers'] as const)
    if (values[needed] === undefined) return `--${one} needs --${needed}`
  return undefined
}

function authorizationContradiction(values: FlagValues): string | undefined {
  const [webhookFlag] = given(values, 'authorization-webhook-')
  const modes = values['authorization-mode']
  if (values['authorization-config'] !== undefined) {
    const other = modes === undefined ? webhookFlag : 'authorization-mode'
    return other === undefined
      ? gateContradiction(values, 'authorization-config', 'StructuredAuthorizationConfiguration')
      : `--authorization-config contradicts --${other}: authorizers stand in the file or in flags, not in both`
  }
  const usesWebhook = modes?.includes('Webhook') === true
  if (usesWebhook && values['authorization-webhook-config-file'] === undefined)
    return '--authorization-mode Webhook needs --authorization-webhook-config-file'
  if (!usesWebhook && webhookFlag !== undefined) return `--${webhookFlag} needs --authorization-mode Webhook`
  return undefined
}

function gateContradiction(
  values: FlagValues,
  name: 'authentication-config' | 'authorization-config',
  gate: string,
): string | undefined {
  return values[name] !== undefined && values['feature-gates']?.get(gate) === false
    ? `--${name} contradicts --feature-gates ${gate}=false`
    : undefined
}

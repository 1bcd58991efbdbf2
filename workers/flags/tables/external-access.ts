/** Flags of access control that rests on others: OpenID providers, webhooks, a proxy. */

import { signingAlgorithms } from '../../../src/authn/oidc/algorithms.ts'
import { choice, choices, duration, file, flag, hour, list, pairs, text } from '../flag.ts'

const group = 'Access'
const reviewVersion = choice('v1', 'v1beta1')

export const externalAccessFlags = {
  'authorization-config': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Authorizers in their order, several webhooks among them: an AuthorizationConfiguration, taken over again when it changes. Instead of --authorization-mode and --authorization-webhook-*.',
  }),
  'authorization-webhook-config-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Client configuration of the service that the mode Webhook asks.',
  }),
  'authorization-webhook-version': flag({
    group,
    kind: reviewVersion,
    default: undefined,
    defaultHelp: 'v1beta1',
    help: 'Version of the SubjectAccessReview that the service is sent.',
  }),
  'authorization-webhook-cache-authorized-ttl': flag({
    group,
    kind: duration(0, 24 * hour),
    default: undefined,
    defaultHelp: '5m',
    help: 'How long what the service allows is not asked again; 0s = not at all.',
  }),
  'authorization-webhook-cache-unauthorized-ttl': flag({
    group,
    kind: duration(0, 24 * hour),
    default: undefined,
    defaultHelp: '30s',
    help: 'How long what the service does not allow is not asked again; 0s = not at all.',
  }),
  'authentication-config': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Issuers of JSON Web Tokens: an AuthenticationConfiguration, taken over again when it changes. Instead of --oidc-*.',
  }),
  'oidc-issuer-url': flag({
    group,
    kind: text,
    default: undefined,
    help: 'OpenID provider whose tokens count, as an https URL. Needs --oidc-client-id.',
  }),
  'oidc-client-id': flag({
    group,
    kind: text,
    default: undefined,
    help: 'Whom all tokens of the provider must be issued for.',
  }),
  'oidc-ca-file': flag({
    group,
    kind: file,
    default: undefined,
    defaultHelp: 'the public roots that Node.js carries',
    help: 'CAs, in PEM form, that vouch for the provider.',
  }),
  'oidc-username-claim': flag({
    group,
    kind: text,
    default: undefined,
    defaultHelp: 'sub',
    help: 'Claim that holds the user name.',
  }),
  'oidc-username-prefix': flag({
    group,
    kind: text,
    default: undefined,
    defaultHelp: 'the issuer and #, but none for the claim email',
    help: 'Goes before user names, so that they are nobody else’s; - = none.',
  }),
  'oidc-groups-claim': flag({
    group,
    kind: text,
    default: undefined,
    defaultHelp: 'none: users have no groups',
    help: 'Claim that holds the groups: a text or a list of texts.',
  }),
  'oidc-groups-prefix': flag({
    group,
    kind: text,
    default: undefined,
    help: 'Goes before groups. Without it, groups that begin with system: are left out.',
  }),
  'oidc-required-claim': flag({
    group,
    kind: pairs,
    default: undefined,
    help: 'Claims that tokens must have, with these values. May be given again.',
  }),
  'oidc-signing-algs': flag({
    group,
    kind: choices(...signingAlgorithms),
    default: undefined,
    defaultHelp: 'RS256',
    help: `Algorithms that tokens may be signed with: ${signingAlgorithms.join(', ')}.`,
  }),
  'authentication-token-webhook-config-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Client configuration of a service that judges bearer tokens.',
  }),
  'authentication-token-webhook-version': flag({
    group,
    kind: reviewVersion,
    default: undefined,
    defaultHelp: 'v1beta1',
    help: 'Version of the TokenReview that the service is sent.',
  }),
  'authentication-token-webhook-cache-ttl': flag({
    group,
    kind: duration(0, 24 * hour),
    default: undefined,
    defaultHelp: '2m',
    help: 'How long the service’s answers are kept; 0s = not at all.',
  }),
  'requestheader-client-ca-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'CAs, in PEM form, that vouch for proxies: only they may say in headers whom a request is from.',
  }),
  'requestheader-allowed-names': flag({
    group,
    kind: list,
    default: undefined,
    defaultHelp: 'any that the CA vouches for',
    help: 'Common names of proxies’ certificates.',
  }),
  'requestheader-username-headers': flag({
    group,
    kind: list,
    default: undefined,
    help: 'Headers that hold the user name, the first with a value counts: X-Remote-User.',
  }),
  'requestheader-group-headers': flag({
    group,
    kind: list,
    default: undefined,
    help: 'Headers that hold groups: X-Remote-Group.',
  }),
  'requestheader-extra-headers-prefix': flag({
    group,
    kind: list,
    default: undefined,
    help: 'What headers with extra values begin with: X-Remote-Extra-.',
  }),
} as const

/** Flags of credentials that this server judges by itself: client certificates, tokens, whom tokens are for. */

import { boolean, duration, file, flag, hour, list, text } from '../flag.ts'

export const authenticationFlags = {
  'client-ca-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'the CA in the data directory',
    help: 'CAs, in PEM form, that vouch for client certificates: common name = user, organizations = groups.',
  }),
  'root-ca-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'what signed the serving certificate, as far as its chain or --client-ca-file tells',
    help: 'CAs, in PEM form, that clients inside of the cluster trust: every namespace and every token gets them. The same on every node.',
  }),
  'token-auth-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Bearer tokens: CSV lines of token, user name, user uid and, optionally, "group1,group2". Read at start.',
  }),
  'service-account-issuer': flag({
    group: 'Certificates and tokens',
    kind: list,
    default: undefined,
    defaultHelp: 'https://<product>.default.svc.cluster.local',
    help: 'Who issues tokens of service accounts, a URL; may be given again: the first signs, all are believed.',
  }),
  'service-account-signing-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'made in the data directory',
    help: 'Private key, RSA or ECDSA in PEM form, that signs tokens of service accounts. The same on every node.',
  }),
  'service-account-key-file': flag({
    group: 'Certificates and tokens',
    kind: list,
    default: undefined,
    defaultHelp: '--tls-private-key-file; the signing key in any case',
    help: 'Keys whose signatures count on tokens of service accounts: files of one or more public or private keys, RSA or ECDSA in PEM form. May be given again.',
  }),
  'service-account-lookup': flag({
    group: 'Certificates and tokens',
    kind: boolean,
    default: 'true',
    help: 'Whether tokens that are kept in secrets count only while secret and account are there.',
  }),
  'service-account-max-token-expiration': flag({
    group: 'Certificates and tokens',
    kind: duration(hour, 1_000_000 * hour),
    default: undefined,
    defaultHelp: 'no bound',
    help: 'Longest that a token of a service account lives; who asks for more gets this.',
  }),
  'service-account-extend-token-expiration': flag({
    group: 'Certificates and tokens',
    kind: boolean,
    default: 'true',
    help: 'Whether tokens that are mounted into pods live for a year, for clients that do not read them anew.',
  }),
  'service-account-jwks-uri': flag({
    group: 'Certificates and tokens',
    kind: text,
    default: undefined,
    defaultHelp: '/openid/v1/jwks of this server',
    help: 'Where discovery says that the keys of service account tokens are: an https URL.',
  }),
  'api-audiences': flag({
    group: 'Certificates and tokens',
    kind: list,
    default: undefined,
    defaultHelp: 'the issuers of service account tokens',
    help: 'What this server is called in the audiences of tokens.',
  }),
  'enable-bootstrap-token-auth': flag({
    group: 'Access',
    kind: boolean,
    default: 'false',
    help: 'Whether bootstrap tokens, kept in secrets of the system namespace, count as bearer tokens.',
  }),
} as const

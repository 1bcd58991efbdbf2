/** Every flag of `serve`. Names are those of the specification where it names one. */

import { pluginNames } from '../../src/admission/selection.ts'
import { authorizationModes } from '../../src/authz/modes.ts'
import { controllerNames } from '../../src/controllers/selection.ts'
import { dialectNames } from '../../src/names/names.ts'
import {
  defaultAddressRange,
  defaultPortRange,
  parseAddressRanges,
  parsePortRange,
} from '../../src/registry/services/settings.ts'
import { describeFeatureGates } from '../../src/types/feature-gates.ts'
import { fail, ok } from '../../store/contract.ts'
import { externalAccessFlags } from './external-access-table.ts'
import {
  boolean,
  choice,
  choices,
  directory,
  duration,
  type FlagKind,
  file,
  flag,
  integer,
  list,
  port,
  switches,
  text,
} from './flag.ts'
import type { ValuesOf } from './words.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const inflight = integer(0, 1_000_000)

const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Of the API version that is served. */
const previousMinor: FlagKind<string> = {
  placeholder: 'VERSION',
  parse: (value) =>
    value === '1.29'
      ? ok(value)
      : fail("must be omitted or have the value '1.29'. Only the previous minor version is allowed"),
}

export const flags = {
  'data-dir': flag({
    group: 'Storage',
    kind: directory,
    default: undefined,
    defaultHelp: '$XDG_DATA_HOME/cluster-apiserver, else ~/.local/share/cluster-apiserver',
    help: 'Where everything is kept: the store, the certificates, admin.kubeconfig. One server at a time. A new directory remembers its dialect.',
  }),
  'history-duration': flag({
    group: 'Storage',
    kind: duration(10 * second, 24 * hour),
    default: '5m',
    help: 'How long old versions are kept for watches, continued lists and exact reads; older ones are answered 410.',
  }),
  'event-ttl': flag({
    group: 'Storage',
    kind: duration(second, 365 * 24 * hour),
    default: '1h',
    help: 'How long events are kept after they were last written.',
  }),
  name: flag({
    group: 'Cluster',
    kind: text,
    default: undefined,
    help: 'Which member of --initial-cluster this server is.',
  }),
  'initial-cluster': flag({
    group: 'Cluster',
    kind: text,
    default: undefined,
    defaultHelp: 'none: this server is alone',
    help: 'The members that replicate the store, this one included, and where each listens for the others: a=host:port,b=host:port,… The same for all. A data directory that took part before knows its members, and looks only for its own address.',
  }),
  'initial-cluster-state': flag({
    group: 'Cluster',
    kind: choice('new', 'existing'),
    default: 'new',
    help: 'existing: the cluster runs already, and knows this member by "member add". For an empty data directory.',
  }),
  'peer-bind-address': flag({
    group: 'Cluster',
    kind: text,
    default: undefined,
    defaultHelp: "this member's address in --initial-cluster",
    help: 'Where to listen for other members, host:port, when that is not the address under which they reach this one.',
  }),
  'peer-cert-file': flag({
    group: 'Cluster',
    kind: file,
    default: undefined,
    help: 'Certificate that this member shows the others, as server and as client, in PEM form. Members on one machine may do without.',
  }),
  'peer-key-file': flag({
    group: 'Cluster',
    kind: file,
    default: undefined,
    help: 'Private key of --peer-cert-file, in PEM form.',
  }),
  'peer-trusted-ca-file': flag({
    group: 'Cluster',
    kind: file,
    default: undefined,
    help: 'Authority of the certificates of members. It must vouch for nobody else.',
  }),
  'service-cluster-ip-range': flag({
    group: 'API',
    kind: { placeholder: 'CIDR[,CIDR]', parse: parseAddressRanges },
    default: defaultAddressRange,
    help: 'Where services get their addresses: one range, or one of IPv4 and one of IPv6; the first is for services that do not say. Never make it smaller than what is in use.',
  }),
  'service-node-port-range': flag({
    group: 'API',
    kind: { placeholder: 'FIRST-LAST', parse: parsePortRange },
    default: defaultPortRange,
    help: 'Ports of the nodes that services of type NodePort and LoadBalancer get. Both ends are inclusive.',
  }),
  'bind-address': flag({
    group: 'Listeners',
    kind: text,
    default: '0.0.0.0',
    help: 'Address of the TLS listener: 0.0.0.0 is all IPv4 addresses of this machine, :: all of both kinds.',
  }),
  'secure-port': flag({
    group: 'Listeners',
    kind: port,
    default: '6443',
    help: 'Port of the TLS listener; 0 takes one that is free.',
  }),
  'http-port': flag({
    group: 'Listeners',
    kind: port,
    default: undefined,
    defaultHelp: 'none: no plaintext',
    help: 'Port of a plaintext listener on 127.0.0.1, for a TLS terminator or a test on this machine. It asks for a bearer token as the other does; 0 takes one that is free.',
  }),
  'http2-max-streams-per-connection': flag({
    group: 'Listeners',
    kind: integer(1, 100_000),
    default: '100',
    help: 'Requests and watches at a time that a client may have on one HTTP/2 connection; it opens another for more.',
  }),
  'advertise-address': flag({
    group: 'Listeners',
    kind: text,
    default: undefined,
    defaultHelp: 'the bind address, else an address of this machine',
    help: 'Address under which others reach this server; discovery names it.',
  }),
  'external-hostname': flag({
    group: 'Listeners',
    kind: text,
    default: undefined,
    help: 'Host name for links to this server; the serving certificate is made good for it.',
  }),
  'tls-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'made in the data directory',
    help: 'Serving certificate in PEM form, followed by its chain. Needs --tls-private-key-file.',
  }),
  'tls-private-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --tls-cert-file, in PEM form.',
  }),
  'tls-sans': flag({
    group: 'Certificates and tokens',
    kind: list,
    default: undefined,
    help: 'More names and addresses for the serving certificate that the server makes.',
  }),
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
  'cluster-signing-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'the CA in the data directory',
    help: 'CA in PEM form that signs approved certificate requests. Needs --cluster-signing-key-file.',
  }),
  'cluster-signing-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-cert-file, RSA or ECDSA in PEM form.',
  }),
  'cluster-signing-kube-apiserver-client-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kube-apiserver-client alone; signers without one do not sign then.',
  }),
  'cluster-signing-kube-apiserver-client-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kube-apiserver-client-cert-file.',
  }),
  'cluster-signing-kubelet-client-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kubelet-client alone; signers without one do not sign then.',
  }),
  'cluster-signing-kubelet-client-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kubelet-client-cert-file.',
  }),
  'cluster-signing-kubelet-serving-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kubelet-serving alone; signers without one do not sign then.',
  }),
  'cluster-signing-kubelet-serving-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kubelet-serving-cert-file.',
  }),
  'cluster-signing-legacy-unknown-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer legacy-unknown alone; signers without one do not sign then.',
  }),
  'cluster-signing-legacy-unknown-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-legacy-unknown-cert-file.',
  }),
  'cluster-signing-duration': flag({
    group: 'Certificates and tokens',
    kind: duration(10 * minute, 100 * 365 * 24 * hour),
    default: '8760h',
    help: 'Longest that certificates live which are signed so; requests may ask for less.',
  }),
  'legacy-service-account-token-clean-up-period': flag({
    group: 'Certificates and tokens',
    kind: duration(24 * hour, 1_000_000 * hour),
    default: '8760h',
    help: 'Tokens that were put into secrets for service accounts are void after this long without use, and deleted after as long again.',
  }),
  'enable-bootstrap-token-auth': flag({
    group: 'Access',
    kind: boolean,
    default: 'false',
    help: 'Whether bootstrap tokens, kept in secrets of the system namespace, count as bearer tokens.',
  }),
  'authorization-mode': flag({
    group: 'Access',
    kind: choices(...authorizationModes),
    default: undefined,
    defaultHelp: 'Node,RBAC',
    help: `Who decides what a user may do, in order: the first that allows or denies has the last word. There are ${authorizationModes.join(', ')}.`,
  }),
  'authorization-policy-file': flag({
    group: 'Access',
    kind: file,
    default: undefined,
    help: 'Policies of the mode ABAC, one JSON object in each line. Read at start.',
  }),
  'anonymous-auth': flag({
    group: 'Access',
    kind: boolean,
    default: undefined,
    defaultHelp: 'true, but false with AlwaysAllow',
    help: 'Takes requests without a credential as those of system:anonymous, in the group system:unauthenticated; false refuses them.',
  }),
  ...externalAccessFlags,
  'api-dialect': flag({
    group: 'API',
    kind: choice(...dialectNames),
    default: 'cluster',
    help: 'Which identifiers the API speaks: kubernetes is for kubectl, client-go and all other clients of that API.',
  }),
  'runtime-config': flag({
    group: 'API',
    kind: switches(true),
    default: undefined,
    help: 'Turns API versions and resources on and off: <group>/<version>, <group>/<version>/<resource>, api/alpha, api/beta, api/all.',
  }),
  'feature-gates': flag({
    group: 'API',
    kind: switches(undefined),
    default: undefined,
    help: `Turns features on and off. There are ${describeFeatureGates()}.`,
  }),
  'enable-admission-plugins': flag({
    group: 'API',
    kind: list,
    default: undefined,
    help: `Admission plugins to run beside those that are on by default. There are ${pluginNames.join(', ')}.`,
  }),
  'disable-admission-plugins': flag({
    group: 'API',
    kind: list,
    default: undefined,
    help: 'Admission plugins not to run, even where they are on by default.',
  }),
  'request-timeout': flag({
    group: 'API',
    kind: duration(second, hour),
    default: '1m',
    help: 'Longest that a request other than a watch may take.',
  }),
  'min-request-timeout': flag({
    group: 'API',
    kind: duration(second, 24 * hour),
    default: '30m',
    help: 'A watch without timeoutSeconds ends after a random time between this and twice this.',
  }),
  'max-requests-inflight': flag({
    group: 'API',
    kind: inflight,
    default: '400',
    help: 'Reads that this node works on at a time; 0 = no limit. With priority and fairness the sum with the next is shared out instead.',
  }),
  'max-mutating-requests-inflight': flag({
    group: 'API',
    kind: inflight,
    default: '200',
    help: 'Writes that this node works on at a time; 0 = no limit.',
  }),
  'enable-priority-and-fairness': flag({
    group: 'API',
    kind: boolean,
    default: 'true',
    help: 'Whether flow schemas and priority levels say whose requests are served first when there are too many.',
  }),
  workers: flag({
    group: 'Processes',
    kind: integer(0, 256),
    default: undefined,
    defaultHelp: 'one for each core',
    help: 'Processes that serve clients; 0 = everything in one process.',
  }),
  controllers: flag({
    group: 'Processes',
    kind: list,
    default: '*',
    help: `Controllers to run: * is all that are on by default, foo is foo too, -foo is not foo. There are ${Object.keys(controllerNames).join(', ')}; bootstrapsigner and tokencleaner are off by default.`,
  }),
  'shutdown-delay-duration': flag({
    group: 'Processes',
    kind: duration(0, hour),
    default: '0s',
    help: 'After SIGTERM, how long to go on serving while /readyz fails, so that load balancers can turn away.',
  }),
  'livez-grace-period': flag({
    group: 'Processes',
    kind: duration(0, hour),
    default: '0s',
    help: 'After start, how long /livez does not fail for a server that is not yet ready.',
  }),
  'show-hidden-metrics-for-version': flag({
    group: 'Logs',
    kind: previousMinor,
    default: undefined,
    defaultHelp: 'none',
    help: 'Shows metrics that this version hides because they are deprecated: the last chance to move away from them. Only the previous minor version, 1.29, can be named.',
  }),
  'log-level': flag({
    group: 'Logs',
    kind: choice(...logLevels),
    default: 'info',
    help: 'Least important lines that are written (to standard error).',
    short: 'v',
  }),
  'log-format': flag({
    group: 'Logs',
    kind: choice('text', 'json'),
    default: 'text',
    help: 'Lines for people, or one JSON object for each line.',
  }),
} as const

export type FlagName = keyof typeof flags
export type FlagValues = ValuesOf<typeof flags>

import t from 'tap'
import { defaultNodeAgents } from '../../src/connect/node-agents.ts'
import { nearest } from '../../src/nearest.ts'
import { defaultServiceRanges } from '../../src/registry/services/settings.ts'
import { commands, isCommandName } from '../../workers/commands/table.ts'
import { type Config, configOf } from '../../workers/flags/config.ts'
import { helpText } from '../../workers/flags/help.ts'
import { parseCommandLine } from '../../workers/flags/parse.ts'
import { flags } from '../../workers/flags/table.ts'

const surroundings = { environment: {}, homeDirectory: '/home/jane', cores: 8 }

/** The configuration, or the message of the refusal. */
function configure(line: string, given = surroundings): Config | string {
  const parsed = parseCommandLine(line === '' ? [] : line.split(' '))
  if (!parsed.ok) return parsed.failure.message
  if (parsed.value.type === 'command') return JSON.stringify(parsed.value.command)
  if (parsed.value.type === 'help') {
    const { of } = parsed.value
    return of === undefined ? 'help' : `help of ${typeof of === 'string' ? of : of.names.join(', ')}`
  }
  if (parsed.value.type !== 'serve') return parsed.value.type
  const config = configOf(parsed.value.values, given)
  return config.ok ? config.value : config.failure.message
}

t.test('without flags: what the help says', (t) => {
  t.strictSame(configure(''), {
    dataDir: '/home/jane/.local/share/cluster-apiserver',
    historyMs: 300_000,
    replication: undefined,
    api: {
      dialect: 'cluster',
      runtimeConfig: new Map(),
      featureGates: new Map(),
      showHiddenMetrics: false,
      admissionPlugins: { enable: [], disable: [] },
      authorizationModes: ['Node', 'RBAC'],
      external: {},
      anonymousAuth: true,
      bootstrapTokens: false,
      legacyTokenIdleMs: 31_536_000_000,
      controllers: ['*'],
      eventTtlMs: 3_600_000,
      services: defaultServiceRanges(),
      minRequestTimeoutMs: 1_800_000,
      requestTimeoutMs: 60_000,
      livezGracePeriodMs: 0,
      nodeAgents: defaultNodeAgents,
      flowControl: {
        maxRequestsInflight: 400,
        maxMutatingRequestsInflight: 200,
        priorityAndFairness: true,
        processes: 8,
      },
    },
    bindAddress: '0.0.0.0',
    securePort: 6443,
    httpPort: undefined,
    http2StreamsMax: 100,
    advertiseAddress: undefined,
    externalHostname: undefined,
    tlsFiles: undefined,
    tlsSans: [],
    clientCaFile: undefined,
    rootCaFile: undefined,
    requestHeaderCaFile: undefined,
    tokenAuthFile: undefined,
    authorizationPolicyFile: undefined,
    serviceAccounts: {
      issuers: [],
      signingKeyFile: undefined,
      keyFiles: [],
      lookup: true,
      apiAudiences: [],
      maxExpirationSeconds: 0,
      extendExpiration: true,
      jwksUri: '',
    },
    clusterSigning: { source: { type: 'own' }, durationMs: 31_536_000_000 },
    workers: 8,
    shutdownDelayMs: 0,
    log: { level: 'info', format: 'text' },
    audit: undefined,
  })
  t.end()
})

t.test('accepted command lines', (t) => {
  const rows: readonly [string, Partial<Config>][] = [
    ['serve', { securePort: 6443 }],
    ['--secure-port=7', { securePort: 7 }],
    ['serve --secure-port 7', { securePort: 7 }],
    ['--secure-port 7 --secure-port 8', { securePort: 8 }],
    ['--http-port 0', { httpPort: 0 }],
    ['--history-duration 1h30m', { historyMs: 5_400_000 }],
    ['--shutdown-delay-duration 1500ms', { shutdownDelayMs: 1500 }],
    ['--workers 0', { workers: 0 }],
    ['--tls-sans a.example,10.0.0.1 --tls-sans b', { tlsSans: ['a.example', '10.0.0.1', 'b'] }],
    ['--tls-cert-file c --tls-private-key-file k', { tlsFiles: { certificate: 'c', privateKey: 'k' } }],
    ['-v debug --log_format json', { log: { level: 'debug', format: 'json' } }],
    ['--data-dir=/x=y', { dataDir: '/x=y' }],
  ]
  for (const [line, expected] of rows) t.match(configure(line), expected, line)
  t.match(configure('--show-hidden-metrics-for-version 1.29'), { api: { showHiddenMetrics: true } })
  t.match(configure('--runtime-config a/v1,b/v1=false --runtime-config api/beta=0'), {
    api: {
      runtimeConfig: new Map([
        ['a/v1', true],
        ['b/v1', false],
        ['api/beta', false],
      ]),
    },
  })
  for (const [line, modes, anonymousAuth] of [
    ['--authorization-mode RBAC', ['RBAC'], true],
    ['--authorization-mode ABAC,RBAC --authorization-policy-file p', ['ABAC', 'RBAC'], true],
    ['--authorization-mode AlwaysAllow', ['AlwaysAllow'], false],
    ['--anonymous-auth=false', ['Node', 'RBAC'], false],
  ] as const) {
    t.match(configure(line), { api: { authorizationModes: modes, anonymousAuth } }, line)
  }
  t.match(configure('', { ...surroundings, environment: { XDG_DATA_HOME: '/data' } }), {
    dataDir: '/data/cluster-apiserver',
  })
  for (const line of ['--help', '-h', 'help', 'serve --help', '--secure-port 1 --help'])
    t.equal(configure(line), 'help')
  t.equal(configure('--version'), 'version')
  t.end()
})

t.test('limits in flight', (t) => {
  t.match(configure('--max-requests-inflight 7 --max-mutating-requests-inflight=0 --workers 0'), {
    api: { flowControl: { maxRequestsInflight: 7, maxMutatingRequestsInflight: 0, processes: 1 } },
  })
  const unlimited = '--max-requests-inflight 0 --max-mutating-requests-inflight 0'
  t.match(configure(`${unlimited} --enable-priority-and-fairness=false --workers 3`), {
    api: { flowControl: { maxRequestsInflight: 0, priorityAndFairness: false, processes: 3 } },
  })
  t.equal(
    configure(unlimited),
    '--enable-priority-and-fairness shares out the sum of --max-requests-inflight and --max-mutating-requests-inflight: it must not be 0',
  )
  t.end()
})

t.test('access control that rests on others', (t) => {
  const rows: readonly (readonly [string, Config['api']['external']])[] = [
    [
      '--oidc-issuer-url https://issuer --oidc-client-id me',
      {
        oidc: {
          issuerUrl: 'https://issuer',
          clientId: 'me',
          usernameClaim: 'sub',
          usernamePrefix: undefined,
          groupsClaim: undefined,
          groupsPrefix: '',
          requiredClaims: new Map(),
          signingAlgorithms: ['RS256'],
          caFile: undefined,
        },
      },
    ],
    [
      '--oidc-issuer-url https://issuer --oidc-client-id me --oidc-username-claim email --oidc-username-prefix - --oidc-groups-claim g --oidc-groups-prefix o: --oidc-required-claim a=b --oidc-required-claim c=d=e --oidc-signing-algs ES256,RS512 --oidc-ca-file ca',
      {
        oidc: {
          issuerUrl: 'https://issuer',
          clientId: 'me',
          usernameClaim: 'email',
          usernamePrefix: '-',
          groupsClaim: 'g',
          groupsPrefix: 'o:',
          requiredClaims: new Map([
            ['a', 'b'],
            ['c', 'd=e'],
          ]),
          signingAlgorithms: ['ES256', 'RS512'],
          caFile: 'ca',
        },
      },
    ],
    [
      '--authentication-token-webhook-config-file f',
      { tokenWebhook: { configFile: 'f', version: 'v1beta1', cacheTtlMs: 120_000 } },
    ],
    [
      '--authorization-mode Node,Webhook,RBAC --authorization-webhook-config-file f --authorization-webhook-version v1',
      {
        authorizationWebhook: {
          modes: ['Node', 'Webhook', 'RBAC'],
          configFile: 'f',
          version: 'v1',
          authorizedTtlMs: 300_000,
          unauthorizedTtlMs: 30_000,
        },
      },
    ],
    [
      '--requestheader-client-ca-file ca --requestheader-username-headers X-Remote-User --requestheader-username-headers X-User --requestheader-allowed-names a,b',
      {
        requestHeader: {
          usernameHeaders: ['X-Remote-User', 'X-User'],
          allowedNames: ['a', 'b'],
          groupHeaders: [],
          extraPrefixes: [],
        },
      },
    ],
    [
      '--authentication-config a --authorization-config b',
      { authenticationConfigFile: 'a', authorizationConfigFile: 'b' },
    ],
  ]
  for (const [line, external] of rows) {
    const config = configure(line)
    t.strictSame(typeof config === 'string' ? config : config.api.external, external, line)
  }
  t.end()
})

const onlyPrevious =
  "--show-hidden-metrics-for-version must be omitted or have the value '1.29'. Only the previous minor version is allowed"

t.test('refused command lines', (t) => {
  const rows: readonly [string, string][] = [
    ['--secure-prot 1', 'unknown flag --secure-prot: did you mean --secure-port?'],
    ['--etcd-servers x', 'unknown flag --etcd-servers; see --help'],
    ['-x', 'unknown flag -x; see --help'],
    ['server', 'unexpected word "server": did you mean serve?'],
    ['start', 'unexpected word "start": there is no such command; see --help'],
    ['--secure-port', '--secure-port needs a value: --secure-port=PORT'],
    ['--data-dir --secure-port 1', '--data-dir needs a value: --data-dir=DIR'],
    ['--data-dir=', '--data-dir must not be empty'],
    ['--secure-port 65536', '--secure-port must be a whole number from 0 to 65535, found "65536"'],
    ['--workers -1', '--workers must be a whole number from 0 to 256, found "-1"'],
    ['--history-duration 5', '--history-duration must be a duration such as 30s, 5m or 1h30m, found "5"'],
    ['--history-duration 1s', '--history-duration must be from 10s to 24h, found 1s'],
    ['--api-dialect k8s', '--api-dialect must be one of cluster, kubernetes, found "k8s"'],
    ['--runtime-config a/v1=maybe', '--runtime-config "a/v1=maybe" is not of the form KEY[=true|false]'],
    [
      '--feature-gates ServerSideApply=false',
      '--feature-gates: cannot set feature gate ServerSideApply to false, feature is locked to true',
    ],
    [
      '--feature-gates Watchlist=true',
      '--feature-gates: unrecognized feature gate: Watchlist (did you mean WatchList?)',
    ],
    ['--show-hidden-metrics-for-version 1.28', onlyPrevious],
    ['--show-hidden-metrics-for-version 1.30', onlyPrevious],
    ['--feature-gates A', '--feature-gates "A" is not of the form NAME=true|false'],
    ['--tls-cert-file c', '--tls-cert-file needs --tls-private-key-file'],
    ['--tls-private-key-file k', '--tls-private-key-file needs --tls-cert-file'],
    [
      '--http-port 6443',
      '--secure-port and --http-port are both 6443: one port speaks either TLS or plaintext',
    ],
    [
      '--authorization-mode RBAC,Rbac',
      '--authorization-mode must be one of Node, RBAC, ABAC, AlwaysAllow, AlwaysDeny, Webhook, found "Rbac"',
    ],
    ['--authorization-mode RBAC,Node,RBAC', '--authorization-mode names RBAC more than once'],
    [
      '--authorization-mode Webhook',
      '--authorization-mode Webhook needs --authorization-webhook-config-file',
    ],
    [
      '--authorization-webhook-config-file f',
      '--authorization-webhook-config-file needs --authorization-mode Webhook',
    ],
    [
      '--authorization-config f --authorization-mode RBAC',
      '--authorization-config contradicts --authorization-mode: authorizers stand in the file or in flags, not in both',
    ],
    [
      '--authorization-config f --authorization-webhook-version v1',
      '--authorization-config contradicts --authorization-webhook-version: authorizers stand in the file or in flags, not in both',
    ],
    [
      '--authorization-config f --feature-gates StructuredAuthorizationConfiguration=false',
      '--authorization-config contradicts --feature-gates StructuredAuthorizationConfiguration=false',
    ],
    [
      '--authentication-config f --feature-gates StructuredAuthenticationConfiguration=false',
      '--authentication-config contradicts --feature-gates StructuredAuthenticationConfiguration=false',
    ],
    [
      '--authentication-config f --oidc-client-id me',
      '--authentication-config contradicts --oidc-client-id: issuers stand in the file or in flags, not in both',
    ],
    [
      '--oidc-issuer-url https://issuer',
      '--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* flag is set, found --oidc-issuer-url',
    ],
    [
      '--oidc-groups-claim groups',
      '--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* flag is set, found --oidc-groups-claim',
    ],
    [
      '--oidc-signing-algs HS256',
      '--oidc-signing-algs must be one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512, found "HS256"',
    ],
    ['--oidc-required-claim hd', '--oidc-required-claim "hd" is not of the form KEY=VALUE'],
    ['--oidc-required-claim a=b,a=c', '--oidc-required-claim names a more than once'],
    [
      '--authentication-token-webhook-version v1',
      '--authentication-token-webhook-version needs --authentication-token-webhook-config-file',
    ],
    [
      '--requestheader-client-ca-file ca.pem',
      '--requestheader-client-ca-file needs --requestheader-username-headers',
    ],
    [
      '--requestheader-username-headers X-Remote-User',
      '--requestheader-username-headers needs --requestheader-client-ca-file',
    ],
    ['--authorization-mode ABAC', '--authorization-mode ABAC needs --authorization-policy-file'],
    ['--authorization-policy-file p', '--authorization-policy-file needs --authorization-mode ABAC'],
    ['--anonymous-auth maybe', '--anonymous-auth must be true or false, found "maybe"'],
    [
      '--anonymous-auth true --authorization-mode AlwaysAllow',
      '--anonymous-auth contradicts --authorization-mode AlwaysAllow: everybody could do everything',
    ],
    [
      '--service-account-issuer a --service-account-issuer a',
      '--service-account-issuer names an issuer more than once',
    ],
    ['--service-account-issuer :a', '--service-account-issuer :a holds a colon and is no URL'],
    ['--service-account-jwks-uri http://a', '--service-account-jwks-uri http://a is no https URL'],
    [
      '--service-account-max-token-expiration 59m',
      '--service-account-max-token-expiration must be from 1h to 1000000h, found 59m',
    ],
    ['--cluster-signing-cert-file c', '--cluster-signing-cert-file needs --cluster-signing-key-file'],
    ['--cluster-signing-key-file k', '--cluster-signing-key-file needs --cluster-signing-cert-file'],
    ['--advertise-address here', '--advertise-address here is no IP address'],
    ['--external-hostname a:1', '--external-hostname a:1 is no host name'],
    [
      '--enable-admission-plugins Priority --disable-admission-plugins RuntimeClass,Priority',
      'Priority is in both --enable-admission-plugins and --disable-admission-plugins',
    ],
    [
      '--tls-cert-file c --tls-private-key-file k --tls-sans a',
      '--tls-sans is for the certificate that the server makes: it contradicts --tls-cert-file',
    ],
  ]
  for (const [line, message] of rows) t.equal(configure(line), message, line)
  t.end()
})

const peerFiles = '--peer-cert-file c --peer-key-file k --peer-trusted-ca-file ca'
const shared =
  '--tls-cert-file tc --tls-private-key-file tk --client-ca-file cca --service-account-signing-key-file sa'

t.test('members of a cluster', (t) => {
  const three = 'a=127.0.0.1:1,b=localhost:2,c=[::1]:3'
  const config = configure(`--name b --initial-cluster ${three} ${shared}`)
  t.strictSame(typeof config === 'string' ? config : config.replication, {
    name: 'b',
    initialCluster: three,
    initialClusterState: 'new',
    listenAddress: undefined,
    peerFiles: undefined,
  })
  t.match(
    configure(
      `--name a --initial-cluster a=a.example:2380,b=b.example:2380 --initial-cluster-state existing --peer-bind-address 0.0.0.0:2380 ${peerFiles} ${shared}`,
    ),
    {
      replication: {
        initialClusterState: 'existing',
        listenAddress: '0.0.0.0:2380',
        peerFiles: { certificate: 'c', privateKey: 'k', trustedCa: 'ca' },
      },
    },
  )
  t.match(
    configure('--name a --initial-cluster a=127.0.0.1:1'),
    { replication: { name: 'a' } },
    'alone for now',
  )
  const rows: readonly [string, string][] = [
    ['--name a', '--name needs --initial-cluster: the members, as a=host:port,b=host:port'],
    [
      '--peer-cert-file c',
      '--peer-cert-file needs --initial-cluster: the members, as a=host:port,b=host:port',
    ],
    [
      '--initial-cluster-state existing',
      '--initial-cluster-state existing needs --initial-cluster: the members, as a=host:port,b=host:port',
    ],
    [`--initial-cluster ${three}`, '--initial-cluster needs --name: which of a, b, c this server is'],
    [`--initial-cluster ${three} --name d`, '--name d is none of the members in --initial-cluster: a, b, c'],
    ['--name a --initial-cluster a', '--initial-cluster: "a" is not name=host:port'],
    ['--name a --initial-cluster a=b', '--initial-cluster: "b" is not host:port'],
    ['--name a --initial-cluster a=h:1,a=h:2', '--initial-cluster: a=h:2 and a=h:1 are the same member'],
    [
      '--name a --initial-cluster a=127.0.0.1:1 --initial-cluster-state existing',
      '--initial-cluster-state existing needs --initial-cluster to name a running member, too',
    ],
    [
      '--name a --initial-cluster a=127.0.0.1:1 --initial-cluster-state old',
      '--initial-cluster-state must be one of new, existing, found "old"',
    ],
    [
      '--name a --initial-cluster a=127.0.0.1:1 --peer-key-file k',
      '--peer-key-file needs --peer-cert-file and --peer-trusted-ca-file',
    ],
    [
      '--name a --initial-cluster a=127.0.0.1:1 --peer-bind-address here',
      '--peer-bind-address here is not host:port',
    ],
    [
      '--name a --initial-cluster a=10.0.0.1:1',
      'a member at 10.0.0.1:1 needs --peer-cert-file, --peer-key-file and --peer-trusted-ca-file: plaintext between members is for the loopback alone. "cluster-apiserver certs" makes such files',
    ],
    [
      '--name a --initial-cluster a=127.0.0.1:1 --peer-bind-address 0.0.0.0:1',
      'a member at 0.0.0.0:1 needs --peer-cert-file, --peer-key-file and --peer-trusted-ca-file: plaintext between members is for the loopback alone. "cluster-apiserver certs" makes such files',
    ],
    [
      `--name a --initial-cluster ${three}`,
      'several members need --tls-cert-file, --client-ca-file and --service-account-signing-key-file, with the same authority and key for all, or a client could not use them all. "cluster-apiserver certs" makes such files',
    ],
  ]
  for (const [line, message] of rows) t.equal(configure(line), message, line)
  t.end()
})

t.test('commands', (t) => {
  const rows: readonly [string, string | RegExp][] = [
    ['status', '{"name":"status","values":{"output":"table"},"arguments":[]}'],
    [
      'member add d h:1 --data-dir x -o json',
      '{"name":"member add","values":{"data-dir":"x","output":"json"},"arguments":["d","h:1"]}',
    ],
    ['snapshot save --data-dir x f', /"arguments":\["f"\]/],
    ['certs node --name a --sans x --sans y,z', /"sans":\["x","y","z"\]/],
    ['member list --help', 'help of member list'],
    ['snapshot --help', 'help of snapshot save, snapshot status, snapshot restore'],
    ['help snapshot', 'help of snapshot save, snapshot status, snapshot restore'],
    ['help snapshot restore', 'help of snapshot restore'],
    ['member', 'member needs one of list, add, remove, promote, transfer'],
    ['member kill', 'member needs one of list, add, remove, promote, transfer'],
    ['snapshto save f', 'unexpected word "snapshto": did you mean snapshot?'],
    ['member add d', 'member add takes 2 arguments, NAME HOST:PORT; found "d"'],
    ['member remove', 'member remove takes one argument, MEMBER; found none'],
    ['status b', 'status takes no arguments; found "b"'],
    ['status -o yaml', 'status: --output must be one of table, json, found "yaml"'],
    ['status --data-dri x', 'status: unknown flag --data-dri: did you mean --data-dir?'],
  ]
  for (const [line, expected] of rows) {
    const found = configure(line)
    if (typeof expected === 'string') t.equal(found, expected, line)
    else t.match(found, expected, line)
  }
  t.end()
})

t.test('each command has a help that names its flags', (t) => {
  for (const name of Object.keys(commands).filter(isCommandName)) {
    const help = helpText(name)
    t.match(
      help,
      new RegExp(`^cluster-apiserver ${[name, ...commands[name].arguments].join(' ')} \\[flags\\]: `),
    )
    for (const flag of Object.keys(commands[name].flags)) t.match(help, `--${flag} `, `${name} --${flag}`)
    t.match(helpText(), `cluster-apiserver ${name}`)
  }
  t.end()
})

t.test('the help names every flag, in lines of at most 100 characters', (t) => {
  const help = helpText()
  for (const name of Object.keys(flags)) t.match(help, `--${name} `)
  t.same(
    help.split('\n').filter((line) => line.length > 100),
    [],
  )
  t.end()
})

t.test('suggestions', (t) => {
  t.equal(nearest('wokers', ['workers', 'tls-sans']), 'workers')
  t.equal(nearest('tokenauthfile', ['token-auth-file']), 'token-auth-file')
  t.equal(nearest('banana', ['workers', 'tls-sans']), undefined)
  t.end()
})

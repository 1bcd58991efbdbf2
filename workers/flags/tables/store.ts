/** Flags of the store: where it lies, how long it remembers, which members replicate it. */

import { choice, directory, duration, file, flag, hour, second, text } from '../flag.ts'

export const storeFlags = {
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
} as const

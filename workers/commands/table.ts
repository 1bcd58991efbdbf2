/** Every command beside `serve`: what it takes and what it is for. What each does: run.ts. */

import { dialectNames } from '../../src/names/names.ts'
import { choice, directory, duration, flag, integer, list, port, text } from '../flags/flag.ts'
import type { FlagTable, ValuesOf } from '../flags/words.ts'

export interface Command {
  readonly summary: string
  /** Further sentences of its own help. */
  readonly details?: string
  readonly arguments: readonly string[]
  readonly flags: FlagTable
}

const dataDir = {
  'data-dir': flag({
    group: 'Storage',
    kind: directory,
    default: undefined,
    defaultHelp: '$XDG_DATA_HOME/cluster-apiserver, else ~/.local/share/cluster-apiserver',
    help: 'Data directory of a server that runs on this machine, under the same user.',
  }),
}

const output = {
  output: flag({
    group: 'Output',
    kind: choice('table', 'json'),
    default: 'table',
    help: 'For people, or for programs.',
    short: 'o',
  }),
}

const certDir = {
  'cert-dir': flag({
    group: 'Certificates and tokens',
    kind: directory,
    default: 'pki',
    help: 'Where the authorities and their keys lie. Keep it off the nodes, and safe.',
  }),
}

const validity = {
  validity: flag({
    group: 'Certificates and tokens',
    kind: duration(3_600_000, 3_652 * 86_400_000),
    default: '17520h',
    help: 'How long the certificates are valid; 17520h are two years.',
  }),
}

export const commands = {
  status: {
    summary: 'how every member is: leader, term, applied entry, lag, size',
    details:
      'Asks the member of the data directory, and through it all others. Exit code 1 when a member does not answer, or when there is no leader.',
    arguments: [],
    flags: { ...dataDir, ...output },
  },
  'member list': {
    summary: 'who takes part',
    arguments: [],
    flags: { ...dataDir, ...output },
  },
  'member add': {
    summary: 'lets a new member join at HOST:PORT',
    details:
      'Run it on any running member; then start the new one with an empty data directory and the flags that this command prints. It first learns what it missed, and then gets its vote by itself.',
    arguments: ['NAME', 'HOST:PORT'],
    flags: { ...dataDir, ...output },
  },
  'member remove': {
    summary: 'removes a member for good',
    details:
      'It stops serving, and its data directory cannot take part again: to come back, it is added anew.',
    arguments: ['MEMBER'],
    flags: { ...dataDir, ...output },
  },
  'member promote': {
    summary: 'gives a learner its vote now, when it has caught up',
    arguments: ['MEMBER'],
    flags: { ...dataDir, ...output },
  },
  'member transfer': {
    summary: 'makes a member the leader',
    arguments: ['MEMBER'],
    flags: { ...dataDir, ...output },
  },
  'snapshot save': {
    summary: 'writes the whole state of the running member to FILE',
    details: 'While it serves, without holding it up. FILE must not exist.',
    arguments: ['FILE'],
    flags: { ...dataDir, ...output },
  },
  'snapshot status': {
    summary: 'checks every byte of a snapshot, and says what it holds',
    arguments: ['FILE'],
    flags: output,
  },
  'snapshot restore': {
    summary: 'makes the data directory of a new cluster from a snapshot',
    details:
      'For a cluster of several members run it once for each, with the same file and the same --initial-cluster, and start them with --initial-cluster-state new.',
    arguments: ['FILE'],
    flags: {
      'data-dir': flag({
        group: 'Storage',
        kind: directory,
        default: undefined,
        help: 'The directory to make. It must be empty or absent.',
      }),
      name: flag({
        group: 'Storage',
        kind: text,
        default: undefined,
        help: 'Which of --initial-cluster this one is.',
      }),
      'initial-cluster': flag({
        group: 'Storage',
        kind: text,
        default: undefined,
        defaultHelp: 'one member, alone',
        help: 'The members of the new cluster: a=host:port,b=host:port,…',
      }),
      ...output,
    },
  },
  'certs init': {
    summary: "makes a cluster's authorities, service account keys and administrator",
    details:
      'Writes ca.crt and ca.key (clients and servers), peer-ca.crt and peer-ca.key (members among themselves), sa.key and sa.pub, admin.crt and admin.key into --cert-dir. What is there is kept; to renew admin.crt and admin.key, remove both first.',
    arguments: [],
    flags: { ...certDir, ...validity },
  },
  'certs node': {
    summary: "makes a node's certificates, in a directory to copy to it",
    details:
      'Writes apiserver.crt, apiserver.key, peer.crt and peer.key into <cert-dir>/<name>, with copies of ca.crt, peer-ca.crt, sa.key and sa.pub, and prints the flags that use them. Run it again to renew: both pairs are made anew.',
    arguments: [],
    flags: {
      name: flag({
        group: 'Certificates and tokens',
        kind: text,
        default: undefined,
        help: "The member's name, as in --initial-cluster.",
      }),
      sans: flag({
        group: 'Certificates and tokens',
        kind: list,
        default: undefined,
        help: 'Names and addresses under which members and clients reach the node, the load balancer included. localhost and 127.0.0.1 are added.',
      }),
      ...certDir,
      ...validity,
    },
  },
  'certs kubeconfig': {
    summary: 'writes the client configuration of a user, with a new client certificate',
    arguments: ['FILE'],
    flags: {
      server: flag({
        group: 'Certificates and tokens',
        kind: text,
        default: undefined,
        help: 'Where the user reaches the cluster: https://<load balancer>:6443.',
      }),
      user: flag({
        group: 'Certificates and tokens',
        kind: text,
        default: undefined,
        defaultHelp: 'the administrator, with admin.crt',
        help: 'Common name of the certificate: the user.',
      }),
      groups: flag({
        group: 'Certificates and tokens',
        kind: list,
        default: undefined,
        help: 'Organizations of the certificate: the groups of --user.',
      }),
      ...certDir,
      ...validity,
    },
  },
  'local-cluster': {
    summary: 'several nodes on this machine behind one address, until Ctrl-C',
    details:
      'A real cluster to try, to test against and to break: each node has its own processes and data directory. In production every node has a machine of its own: docs/operations.md.',
    arguments: [],
    flags: {
      dir: flag({
        group: 'Storage',
        kind: directory,
        default: undefined,
        defaultHelp: 'a temporary one, removed at the end',
        help: 'Where everything is kept; a cluster that was there before goes on with the nodes and addresses that it had.',
      }),
      nodes: flag({
        group: 'Cluster',
        kind: integer(1, 7),
        default: '3',
        help: 'How many.',
      }),
      port: flag({
        group: 'Listeners',
        kind: port,
        default: '0',
        help: 'Port of the one address, on 127.0.0.1; 0 takes one that is free.',
      }),
      workers: flag({
        group: 'Processes',
        kind: integer(0, 256),
        default: '1',
        help: 'Processes of each node that serve clients; 0 = each node is one process.',
      }),
      'api-dialect': flag({
        group: 'API',
        kind: choice(...dialectNames),
        default: 'kubernetes',
        help: 'Which identifiers the API speaks: kubernetes is for kubectl, client-go and all other clients of that API.',
      }),
    },
  },
} as const satisfies Readonly<Record<string, Command>>

export type CommandName = keyof typeof commands

/** A command as it was given: `values` are those of its own flags. */
export type CommandLineOf<N extends CommandName> = N extends CommandName
  ? {
      readonly name: N
      readonly values: ValuesOf<(typeof commands)[N]['flags']>
      readonly arguments: readonly string[]
    }
  : never

/** Commands of two words that have the first in common. */
export interface CommandGroup {
  readonly word: string
  readonly names: readonly CommandName[]
}

export function commandGroup(word: string): CommandGroup | undefined {
  const names = Object.keys(commands)
    .filter(isCommandName)
    .filter((name) => name.startsWith(`${word} `))
  return names.length === 0 ? undefined : { word, names }
}

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

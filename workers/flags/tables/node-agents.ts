/** Flags of the way to the agents of nodes (kubelets), who know what containers have written. */

import { nodeAddressTypes } from '../../../src/connect/node-agents.ts'
import { choices, duration, file, flag, minute, second } from '../flag.ts'

const group = 'Nodes'

export const nodeAgentFlags = {
  'kubelet-certificate-authority': flag({
    group,
    kind: file,
    default: undefined,
    help: "CAs, in PEM form, that vouch for the agents of nodes. Without them any agent's certificate is taken.",
  }),
  'kubelet-client-certificate': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Certificate, in PEM form, that this server shows to the agents. Needs --kubelet-client-key.',
  }),
  'kubelet-client-key': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --kubelet-client-certificate.',
  }),
  'kubelet-preferred-address-types': flag({
    group,
    kind: choices(...nodeAddressTypes),
    default: nodeAddressTypes.join(','),
    help: 'Of the addresses of a node, the first of these types is the one that its agent is reached at.',
  }),
  'kubelet-timeout': flag({
    group,
    kind: duration(second / 10, 10 * minute),
    default: '5s',
    help: 'How long a connection to an agent may take to stand.',
  }),
} as const

/** The way to the agents of nodes, as flags say it. */

import { defaultNodeAgents, type NodeAgentOptions } from '../../src/connect/node-agents.ts'
import type { FlagValues } from './table.ts'

export function nodeAgentOptions(values: FlagValues): NodeAgentOptions {
  return {
    caFile: values['kubelet-certificate-authority'],
    certificateFile: values['kubelet-client-certificate'],
    privateKeyFile: values['kubelet-client-key'],
    addressTypes: values['kubelet-preferred-address-types'] ?? defaultNodeAgents.addressTypes,
    timeoutMs: values['kubelet-timeout'] ?? defaultNodeAgents.timeoutMs,
  }
}

export function nodeAgentContradiction(values: FlagValues): string | undefined {
  const { 'kubelet-client-certificate': certificate, 'kubelet-client-key': key } = values
  if (certificate !== undefined && key === undefined)
    return '--kubelet-client-certificate needs --kubelet-client-key'
  return key !== undefined && certificate === undefined
    ? '--kubelet-client-key needs --kubelet-client-certificate'
    : undefined
}

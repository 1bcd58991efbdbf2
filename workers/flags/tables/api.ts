/** Flags of the API itself: what it serves, what it checks and hands out, how much at a time. */

import { pluginNames } from '../../../src/admission/selection.ts'
import { dialectNames } from '../../../src/names/names.ts'
import {
  defaultAddressRange,
  defaultPortRange,
  parseAddressRanges,
  parsePortRange,
} from '../../../src/registry/services/settings.ts'
import { describeFeatureGates } from '../../../src/types/feature-gates.ts'
import { boolean, choice, duration, flag, hour, integer, list, second, switches } from '../flag.ts'

const group = 'API'
const inflight = integer(0, 1_000_000)

export const apiFlags = {
  'service-cluster-ip-range': flag({
    group,
    kind: { placeholder: 'CIDR[,CIDR]', parse: parseAddressRanges },
    default: defaultAddressRange,
    help: 'Where services get their addresses: one range, or one of IPv4 and one of IPv6; the first is for services that do not say. Never make it smaller than what is in use.',
  }),
  'service-node-port-range': flag({
    group,
    kind: { placeholder: 'FIRST-LAST', parse: parsePortRange },
    default: defaultPortRange,
    help: 'Ports of the nodes that services of type NodePort and LoadBalancer get. Both ends are inclusive.',
  }),
  'api-dialect': flag({
    group,
    kind: choice(...dialectNames),
    default: 'cluster',
    help: 'Which identifiers the API speaks: kubernetes is for kubectl, client-go and all other clients of that API.',
  }),
  'runtime-config': flag({
    group,
    kind: switches(true),
    default: undefined,
    help: 'Turns API versions and resources on and off: <group>/<version>, <group>/<version>/<resource>, api/alpha, api/beta, api/all.',
  }),
  'feature-gates': flag({
    group,
    kind: switches(undefined),
    default: undefined,
    help: `Turns features on and off. There are ${describeFeatureGates()}.`,
  }),
  'enable-admission-plugins': flag({
    group,
    kind: list,
    default: undefined,
    help: `Admission plugins to run beside those that are on by default. There are ${pluginNames.join(', ')}.`,
  }),
  'disable-admission-plugins': flag({
    group,
    kind: list,
    default: undefined,
    help: 'Admission plugins not to run, even where they are on by default.',
  }),
  'request-timeout': flag({
    group,
    kind: duration(second, hour),
    default: '1m',
    help: 'Longest that a request other than a watch may take.',
  }),
  'min-request-timeout': flag({
    group,
    kind: duration(second, 24 * hour),
    default: '30m',
    help: 'A watch without timeoutSeconds ends after a random time between this and twice this.',
  }),
  'max-requests-inflight': flag({
    group,
    kind: inflight,
    default: '400',
    help: 'Reads that this node works on at a time; 0 = no limit. With priority and fairness the sum with the next is shared out instead.',
  }),
  'max-mutating-requests-inflight': flag({
    group,
    kind: inflight,
    default: '200',
    help: 'Writes that this node works on at a time; 0 = no limit.',
  }),
  'enable-priority-and-fairness': flag({
    group,
    kind: boolean,
    default: 'true',
    help: 'Whether flow schemas and priority levels say whose requests are served first when there are too many.',
  }),
} as const

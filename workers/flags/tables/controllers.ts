/** Flags of single controllers: who signs approved certificate requests, when unused tokens go. */

import { duration, file, flag, hour, minute } from '../flag.ts'

const group = 'Certificates and tokens'

export const controllerFlags = {
  'cluster-signing-cert-file': flag({
    group,
    kind: file,
    default: undefined,
    defaultHelp: 'the CA in the data directory',
    help: 'CA in PEM form that signs approved certificate requests. Needs --cluster-signing-key-file.',
  }),
  'cluster-signing-key-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-cert-file, RSA or ECDSA in PEM form.',
  }),
  'cluster-signing-kube-apiserver-client-cert-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kube-apiserver-client alone; signers without one do not sign then.',
  }),
  'cluster-signing-kube-apiserver-client-key-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kube-apiserver-client-cert-file.',
  }),
  'cluster-signing-kubelet-client-cert-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kubelet-client alone; signers without one do not sign then.',
  }),
  'cluster-signing-kubelet-client-key-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kubelet-client-cert-file.',
  }),
  'cluster-signing-kubelet-serving-cert-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer kubelet-serving alone; signers without one do not sign then.',
  }),
  'cluster-signing-kubelet-serving-key-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-kubelet-serving-cert-file.',
  }),
  'cluster-signing-legacy-unknown-cert-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'As --cluster-signing-cert-file, for the signer legacy-unknown alone; signers without one do not sign then.',
  }),
  'cluster-signing-legacy-unknown-key-file': flag({
    group,
    kind: file,
    default: undefined,
    help: 'Private key of --cluster-signing-legacy-unknown-cert-file.',
  }),
  'cluster-signing-duration': flag({
    group,
    kind: duration(10 * minute, 100 * 365 * 24 * hour),
    default: '8760h',
    help: 'Longest that certificates live which are signed so; requests may ask for less.',
  }),
  'legacy-service-account-token-clean-up-period': flag({
    group,
    kind: duration(24 * hour, 1_000_000 * hour),
    default: '8760h',
    help: 'Tokens that were put into secrets for service accounts are void after this long without use, and deleted after as long again.',
  }),
} as const

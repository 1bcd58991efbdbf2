/**
 * The signers that this server has, and what each demands of a request. Pure.
 *
 * Their rules are those that users of the built-in signers of this API know.
 */

import type { Names } from '../names/names.ts'
import type { CertificateRequest } from './request.ts'

/** Returns why it refuses; undefined = it signs. */
type SignerRule = (
  request: Pick<CertificateRequest, 'commonName' | 'organizations' | 'names'>,
  usages: readonly string[],
) => string | undefined

const nodeUserPrefix = 'system:node:'
const nodesGroup = 'system:nodes'

/** As the flags name them that give each a CA of its own. */
export const signerKinds = [
  'kube-apiserver-client',
  'kubelet-client',
  'kubelet-serving',
  'legacy-unknown',
] as const
export type SignerKind = (typeof signerKinds)[number]

interface BuiltInSigner {
  readonly kind: SignerKind
  readonly rule: SignerRule
}

/** By signer name. */
export function builtInSigners(names: Names): ReadonlyMap<string, BuiltInSigner> {
  const named = (path: string): string => names.expand(`{labels}/${path}`)
  return new Map<string, BuiltInSigner>([
    [
      named('{prefix}-apiserver-client'),
      { kind: 'kube-apiserver-client', rule: (_, usages) => clientUsageProblem(usages) },
    ],
    [kubeletClientSigner(names), { kind: 'kubelet-client', rule: kubeletClientProblem }],
    [named('kubelet-serving'), { kind: 'kubelet-serving', rule: kubeletServingProblem }],
    [named('legacy-unknown'), { kind: 'legacy-unknown', rule: () => undefined }],
  ])
}

/** Name of the signer of node agents' client certificates. */
export function kubeletClientSigner(names: Names): string {
  return names.expand('{labels}/{prefix}-apiserver-client-kubelet')
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const odd = usages.find(
    (usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage),
  )
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`
  return usages.includes('client auth')
    ? undefined
    : 'missing required usage for client certificate: client auth'
}

export const kubeletClientProblem: SignerRule = ({ commonName, organizations, names }, usages) => {
  if (!isNodesGroup(organizations)) return notNodesGroup
  for (const [type, what] of [
    ['dns', 'DNS'],
    ['email', 'Email'],
    ['ip', 'IP'],
    ['url', 'URI'],
  ] as const) {
    if (names.some((name) => name.type === type)) return `${what} subjectAltNames are not allowed`
  }
  if (!commonName.startsWith(nodeUserPrefix)) return notNodeName
  return usageMismatch(usages, 'client auth')
}

const kubeletServingProblem: SignerRule = ({ commonName, organizations, names }, usages) => {
  if (!isNodesGroup(organizations)) return notNodesGroup
  if (!names.some(({ type }) => type === 'dns' || type === 'ip'))
    return 'DNS or IP subjectAltName is required'
  if (names.some(({ type }) => type === 'email')) return 'Email subjectAltNames are not allowed'
  if (names.some(({ type }) => type === 'url')) return 'URI subjectAltNames are not allowed'
  return (
    usageMismatch(usages, 'server auth') ?? (commonName.startsWith(nodeUserPrefix) ? undefined : notNodeName)
  )
}

const notNodesGroup = `subject organization is not ${nodesGroup}`
const notNodeName = `subject common name does not begin with ${nodeUserPrefix}`

function isNodesGroup(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === nodesGroup
}

/** Exactly these; encipherment is for RSA keys alone, and may be left out. */
function usageMismatch(usages: readonly string[], auth: 'client auth' | 'server auth'): string | undefined {
  const given = new Set(usages)
  given.delete('key encipherment')
  const exact = given.size === 2 && given.has('digital signature') && given.has(auth)
  return exact ? undefined : `usages did not match [${auth} digital signature key encipherment]`
}

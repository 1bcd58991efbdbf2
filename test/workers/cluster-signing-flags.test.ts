/** The flags of the CAs that sign certificate requests: what they mean together. */

import t from 'tap'
import type { ClusterSigningConfig } from '../../workers/flags/cluster-signing.ts'
import { configOf } from '../../workers/flags/config.ts'
import { parseCommandLine } from '../../workers/flags/parse.ts'

/** The configuration, or the message of the refusal. */
function configure(line: string): { readonly clusterSigning: ClusterSigningConfig } | string {
  const parsed = parseCommandLine(line.split(' '))
  if (!parsed.ok) return parsed.failure.message
  if (parsed.value.type !== 'serve') return parsed.value.type
  const config = configOf(parsed.value.values, { environment: {}, homeDirectory: '/home/jane', cores: 8 })
  return config.ok ? config.value : config.failure.message
}

t.test('one CA for all signers, or for each its own', (t) => {
  const files = { certificate: 'c', privateKey: 'k' }
  for (const [infix, source] of [
    ['', { type: 'common', files }],
    ['kube-apiserver-client-', { type: 'specific', files: { 'kube-apiserver-client': files } }],
    ['legacy-unknown-', { type: 'specific', files: { 'legacy-unknown': files } }],
  ] as const) {
    const line = `--cluster-signing-${infix}cert-file c --cluster-signing-${infix}key-file k`
    t.match(configure(line), { clusterSigning: { source } }, line)
  }
  t.end()
})

t.test('what contradicts itself', (t) => {
  for (const [line, message] of [
    [
      '--cluster-signing-kubelet-serving-cert-file c',
      '--cluster-signing-kubelet-serving-cert-file needs --cluster-signing-kubelet-serving-key-file',
    ],
    [
      '--cluster-signing-legacy-unknown-key-file k',
      '--cluster-signing-legacy-unknown-key-file needs --cluster-signing-legacy-unknown-cert-file',
    ],
    [
      '--cluster-signing-cert-file c --cluster-signing-key-file k --cluster-signing-kubelet-client-cert-file d --cluster-signing-kubelet-client-key-file l',
      '--cluster-signing-cert-file signs for every signer: it contradicts --cluster-signing-kubelet-client-cert-file',
    ],
  ] as const) {
    t.equal(configure(line), message, line)
  }
  t.end()
})

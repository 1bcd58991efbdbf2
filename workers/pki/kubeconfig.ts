/** The client configuration file: what a client needs to reach the server as somebody. */

import type { KeyPair } from './issue.ts'

export interface Kubeconfig {
  /** Name of the cluster and the context. */
  readonly name: string
  /** Absent = the name with `-admin`. */
  readonly user?: string
  readonly url: string
  /** PEM text. */
  readonly ca: string
  readonly credential:
    | { readonly type: 'certificate'; readonly keys: KeyPair }
    | { readonly type: 'token'; readonly token: string }
}

/** YAML text. */
export function renderKubeconfig({ name, url, ca, credential, ...more }: Kubeconfig): string {
  const user = yamlText(more.user ?? `${name}-admin`)
  return `apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${user}
current-context: ${name}
users:
- name: ${user}
  user:
${renderCredential(credential)}`
}

function renderCredential(credential: Kubeconfig['credential']): string {
  switch (credential.type) {
    case 'certificate':
      return `    client-certificate-data: ${base64(credential.keys.certificate)}
    client-key-data: ${base64(credential.keys.privateKey)}
`
    case 'token':
      return `    token: ${credential.token}
`
  }
}

/** Quoted unless it is plainly a word: a user's name can hold anything. */
function yamlText(text: string): string {
  return /^[a-z][\w.@-]*$/i.test(text) ? text : JSON.stringify(text)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Files that tell the server which services it may ask, and who of them decides. */

import type { JsonObject } from '../../src/json.ts'

/** A client configuration for the service at `url`. */
export function kubeconfigTo(url: string, cluster: JsonObject = {}, user: JsonObject = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'it', user: 'me' } }],
    clusters: [{ name: 'it', cluster: { server: url, ...cluster } }],
    users: [{ name: 'me', user }],
  })
}

/** PEM text as a client configuration holds it. */
export function inlineCa(certificate: string): JsonObject {
  return { 'certificate-authority-data': Buffer.from(certificate).toString('base64') }
}

export function authorizationConfiguration(...authorizers: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthorizationConfiguration',
    authorizers: [...authorizers],
  }
}

/** @param change of what is said about the webhook: to begin with, that whom it fails for is denied */
export function webhookAuthorizer(
  kubeConfigFile: string,
  change: JsonObject = {},
  name = 'hook',
): JsonObject {
  return {
    type: 'Webhook',
    name,
    webhook: {
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'Deny',
      connectionInfo: { type: 'KubeConfig', kubeConfigFile },
      ...change,
    },
  }
}

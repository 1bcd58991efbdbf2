/** Tokens and certificates from the command line. */

import { certificateRequest } from '../support/certificate-requests.ts'
import { tellKubectl } from '../support/kubectl.ts'

const { request } = await certificateRequest({ commonNames: ['mary'], organizations: ['developers'] })

function csr(name: string, request: string): string {
  return `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata:
  name: ${name}
spec:
  request: ${Buffer.from(request).toString('base64')}
  signerName: kubernetes.io/kube-apiserver-client
  expirationSeconds: 3600
  usages: [digital signature, client auth]
`
}

tellKubectl([
  {
    name: 'tokens of service accounts',
    rows: [
      { run: 'create serviceaccount robot', prints: /created/ },
      { run: 'create token robot', prints: /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/ },
      {
        run: 'create token robot --duration 10m --audience vault -o yaml',
        prints: /audiences:\n {2}- vault/,
      },
      {
        run: 'create token robot --duration 1m',
        prints: /may not specify a duration less than 10 minutes/,
        exit: 1,
      },
      { run: 'create token nobody', prints: /serviceaccounts "nobody" not found/, exit: 1 },
      {
        run: 'create token robot --bound-object-kind Pod --bound-object-name ghost',
        prints: /pods "ghost" not found/,
        exit: 1,
      },
      { run: 'get configmap kube-root-ca.crt -o yaml', prints: /BEGIN CERTIFICATE/ },
      { run: 'get --raw /openid/v1/jwks', prints: /"kty":"EC"/ },
    ],
  },
  {
    name: 'certificates',
    files: { 'mary.yaml': csr('mary', request), 'eve.yaml': csr('eve', request) },
    rows: [
      { run: 'create -f {dir}/mary.yaml', prints: /mary created/ },
      { run: 'create -f {dir}/eve.yaml', prints: /eve created/ },
      { run: 'certificate approve mary', prints: /mary approved/ },
      { run: 'certificate deny eve', prints: /eve denied/ },
      { run: 'wait csr/mary --for=jsonpath={.status.certificate} --timeout=10s', prints: /condition met/ },
      { run: 'get csr mary', prints: /kube-apiserver-client +kubernetes-admin +60m +Approved,Issued/ },
      { run: 'get csr eve', prints: /Denied/ },
      { run: 'certificate approve eve', prints: /mutually exclusive|already denied/i, exit: 1 },
      {
        run: 'get csr mary -o jsonpath={.status.certificate}',
        prints: /^LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t/,
      },
    ],
  },
])

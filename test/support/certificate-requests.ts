/** Keys, and certificate requests for them, right and wrong. */

import 'reflect-metadata'
import {
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509'

export interface Asked {
  readonly commonNames?: readonly string[]
  readonly organizations?: readonly string[]
  readonly names?: readonly { readonly type: 'dns' | 'ip' | 'email' | 'url'; readonly value: string }[]
}

interface RequestWithKey {
  /** PEM text. */
  readonly request: string
  /** PEM text, PKCS #8. */
  readonly privateKey: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export async function certificateRequest(asked: Asked): Promise<RequestWithKey> {
  const { commonNames = [], organizations = [], names = [] } = asked
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: [...organizations.map((one) => ({ O: [one] })), ...commonNames.map((one) => ({ CN: [one] }))],
    keys,
    signingAlgorithm: algorithm,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])],
  })
  const der = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { request: `${made.toString('pem')}\n`, privateKey: PemConverter.encode(der, 'PRIVATE KEY') }
}

interface SigningRequest {
  readonly name: string
  /** PEM text. */
  readonly request: string
  /** Behind the domain: `kube-apiserver-client`. */
  readonly signer: string
  readonly usages: readonly string[]
  readonly expirationSeconds?: number
}

/** In the dialect kubernetes. */
export function signingRequest({ name, request, signer, usages, expirationSeconds }: SigningRequest): object {
  return {
    metadata: { name },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: `kubernetes.io/${signer}`,
      usages,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    },
  }
}

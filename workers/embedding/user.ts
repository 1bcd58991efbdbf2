/** Users of an embedded control plane, beside its administrator: to see what a controller may do with its own roles. */

import { randomBytes } from 'node:crypto'
import type { SigningCa } from '../../src/certificates/authority.ts'
import { createIssuer } from '../pki/issue.ts'
import { type Kubeconfig, renderKubeconfig } from '../pki/kubeconfig.ts'

export interface User {
  /** `system:serviceaccount:…` is as good as any other. */
  readonly name: string
  /** Beside `system:authenticated`. */
  readonly groups?: readonly string[]
}

const yearMs = 366 * 86_400_000
/** Clocks of others may be behind. */
const backdateMs = 3_600_000

/** A client configuration with a certificate of a year: YAML text. */
export async function kubeconfigOfUser(
  { name, groups = [] }: User,
  cluster: Pick<Kubeconfig, 'name' | 'url' | 'ca'>,
  signingCa: SigningCa,
  nowMs: number,
): Promise<string> {
  if (name === '') throw new Error('a user needs a name')
  const issuer = await createIssuer(randomBytes)
  const validity = { fromMs: nowMs - backdateMs, untilMs: nowMs + yearMs }
  const keys = await issuer.client(signingCa, { commonName: name, organizations: groups }, validity)
  return renderKubeconfig({ ...cluster, user: name, credential: { type: 'certificate', keys } })
}

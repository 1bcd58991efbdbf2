/** Connections to a service over TLS, with its own CA and our certificate. */

import { Agent } from 'node:https'
import { createSecureContext } from 'node:tls'
import { certificatesProblem } from '../../src/outside/certificates.ts'
import type { HttpClientOptions } from '../../src/outside/outside.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { codeOf } from './answer.ts'

/** Fails with a sentence when a certificate or key cannot be used. */
export function createAgent(
  { ca, certificate, privateKey, serverName, insecure = false }: HttpClientOptions,
  sockets: { readonly maxSockets: number; readonly maxFreeSockets: number },
): Result<Agent, string> {
  const problem = ca === undefined ? undefined : certificatesProblem(ca)
  if (problem !== undefined) return fail(`a certificate authority cannot be used: ${problem}`)
  const material = {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  }
  try {
    createSecureContext(material)
  } catch (error) {
    return fail(`a certificate or key cannot be used: ${codeOf(error)}`)
  }
  return ok(
    new Agent({
      ...material,
      ...(serverName === undefined ? {} : { servername: serverName }),
      rejectUnauthorized: !insecure,
      minVersion: 'TLSv1.2',
      keepAlive: true,
      ...sockets,
    }),
  )
}

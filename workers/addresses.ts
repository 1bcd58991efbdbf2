import { createServer, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fail, ok, type Result } from '../store/contract.ts'
import { type ListenFailure, listenFailureOf } from './http/listener.ts'

/**
 * The port, once somebody could listen there alone a moment ago; where 0 is asked for, one that was free. Workers
 * share a port, so only a try beforehand tells that another process has it.
 */
export function probePort(host: string, port: number): Promise<Result<number, ListenFailure>> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => {
      const failure = listenFailureOf(error, host, port)
      if (failure === undefined) reject(error)
      else resolve(fail(failure))
    })
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : port
      server.close(() => resolve(ok(bound)))
    })
  })
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Where a client on this machine reaches a listener. */
export function localUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const name = isAny(host) ? '127.0.0.1' : host
  return `${scheme}://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** What others are told when nobody said: the bind address, or the first address of this machine that is not its own loopback. */
export function advertisedHost(given: string | undefined, bindAddress: string): string {
  if (given !== undefined) return given
  if (!isAny(bindAddress)) return bindAddress
  const addresses = Object.values(networkInterfaces()).flatMap((ofOne) => ofOne ?? [])
  const family = bindAddress === '::' ? undefined : 'IPv4'
  const outer = addresses.find((one) => !one.internal && (family === undefined || one.family === family))
  return outer?.address ?? '127.0.0.1'
}

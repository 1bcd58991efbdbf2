/** Where the server will listen: looked at before anything is opened, so that a failed start leaves no trace. */

import { ok, type Result } from '../store/contract.ts'
import { probePort } from './addresses.ts'
import { peerListenAddress } from './flags/cluster.ts'
import type { Config } from './flags/config.ts'
import { describeListenFailure } from './http/listener.ts'
import { cannotStart, type StartFailure } from './start-failure.ts'

export const plainHost = '127.0.0.1'

export interface Ports {
  readonly secure: number
  readonly plain: number | undefined
}

/** Looks whether all ports can be had, and settles those that were asked for as 0. */
export async function findPorts({
  bindAddress,
  securePort,
  httpPort,
  replication,
}: Config): Promise<Result<Ports, StartFailure>> {
  const peers = replication === undefined ? undefined : peerListenAddress(replication)
  if (peers !== undefined) {
    // Before the data directory becomes a member's.
    const probed = await probePort(peers.host, peers.port)
    if (!probed.ok) return cannotStart(`for members: ${describeListenFailure(probed.failure)}`)
  }
  const secure = await probePort(bindAddress, securePort)
  if (!secure.ok) return cannotStart(describeListenFailure(secure.failure))
  if (httpPort === undefined) return ok({ secure: secure.value, plain: undefined })
  const plain = await probePort(plainHost, httpPort)
  if (!plain.ok) return cannotStart(describeListenFailure(plain.failure))
  return ok({ secure: secure.value, plain: plain.value })
}

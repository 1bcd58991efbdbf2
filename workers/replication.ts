/** How the store of this server takes part in a cluster: from flags and files to what the member is opened with. */

import type { Log } from '../src/observe/log.ts'
import { ok, type Result } from '../store/contract.ts'
import type { ReplicationOptions } from '../store/member/plan.ts'
import type { PeerTls } from '../store/peers/sockets.ts'
import type { PeerFiles, ReplicationConfig } from './flags/cluster.ts'
import { readGiven, readGivenPair } from './given-files.ts'
import { parseCertificate } from './pki/inspect.ts'
import { cannotStart, type StartFailure } from './start-failure.ts'

/** Reads the files that the flags name, and checks that they are what they should be; undefined for a server alone. */
export async function openReplication(
  config: ReplicationConfig | undefined,
  log: Log,
): Promise<Result<ReplicationOptions | undefined, StartFailure>> {
  if (config === undefined) return ok(undefined)
  const tls = config.peerFiles === undefined ? ok(undefined) : await readPeerTls(config.peerFiles)
  if (!tls.ok) return tls
  const { name, initialCluster, initialClusterState, listenAddress } = config
  return ok({
    name,
    initialCluster,
    initialClusterState,
    ...(listenAddress === undefined ? {} : { listenAddress }),
    ...(tls.value === undefined ? {} : { tls: tls.value }),
    onPeerProblem: (reason) => log.warn('a connection between members', { reason }),
  })
}

const peerFlags = { certificate: '--peer-cert-file', privateKey: '--peer-key-file' }

async function readPeerTls(files: PeerFiles): Promise<Result<PeerTls, StartFailure>> {
  const [pair, trustedCa] = await Promise.all([
    readGivenPair(peerFlags, files),
    readGiven('--peer-trusted-ca-file', files.trustedCa),
  ])
  if (!pair.ok) return pair
  if (!trustedCa.ok) return trustedCa
  const ca = parseCertificate(files.trustedCa, trustedCa.value)
  if (!ca.ok) return cannotStart(ca.failure.message)
  return ok({ ...pair.value, trustedCa: trustedCa.value })
}

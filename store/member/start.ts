import { ok, type Result, type Store } from '../contract.ts'
import type { Database } from '../disk/database.ts'
import { parseAddress } from '../peers/address.ts'
import type { CannotListen } from '../peers/peers.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { databaseFolder, type Identity, writeFinalState } from './data-directory.ts'
import { LateEvents } from './events.ts'
import { createArrivingState } from './installation.ts'
import type { Machine } from './machine.ts'
import { MemberStore } from './member.ts'
import { dutySettingsOf, type MemberOptions, replicaSettingsOf, timingOf } from './options.ts'
import type { MemberPlan } from './plan.ts'
import type { LoadedReplica, Stopped } from './replica-parts.ts'
import type { SnapshotFailure } from './snapshot-file.ts'
import { noTransport, type Transport } from './transport.ts'

/** A member that runs. */
export interface Member {
  /** The in-process store. */
  readonly store: Store
  /** Whom the data directory belongs to. */
  readonly identity: Identity
  /** Who takes part, and how they are. */
  readonly cluster: Cluster
  /** Saves the applied state in a file, which must not exist as `<path>.partial`; restore.ts makes a new cluster of it. */
  saveSnapshot(path: string): Promise<Result<void, SnapshotFailure>>
  /** Calls `listener` once when the member stops serving for good: the disk failed, or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void
  close(): Promise<void>
}

/** Puts the parts of an opened member together and starts them. Fails only when it cannot listen for the others. */
export async function startMember(
  options: MemberOptions,
  machine: Machine,
  database: Database,
  loaded: LoadedReplica,
  plan: MemberPlan,
): Promise<Result<Member, CannotListen>> {
  const { clock, dataDir, replication } = options
  const { identity, id, address } = plan
  const arriving = createArrivingState({
    dataDir,
    files: machine.files,
    openDatabase: (path) => machine.openDatabase(path),
  })
  const events = new LateEvents()
  const timing = timingOf(options)
  const timers = replication?.clock ?? clock
  const peers = await reachOthers(options, machine, plan, events)
  if (!peers.ok) return peers
  const store = new MemberStore({
    replica: {
      id,
      database,
      loaded,
      clock,
      timing,
      timers,
      settings: replicaSettingsOf(options),
      transport: peers.value,
      installation: arriving,
      random: (below) => machine.random(below),
      defer: (action) => machine.defer(action),
      createRaft: (core) => machine.createRaft(core),
    },
    settings: dutySettingsOf(options),
    closed: (final) => writeFinalState(machine.files, dataDir, final),
  })
  const cluster = createCluster({
    store,
    id,
    identity,
    transport: peers.value,
    databaseBytes: () => machine.files.folderBytes(databaseFolder(dataDir)),
    timers,
    waitMaxMs: timing.waitMaxMs,
    loopbackOnly: replication?.tls === undefined,
    address,
  })
  events.connect({ store, arriving, cluster })
  await store.start()
  return ok({
    store,
    identity,
    cluster,
    saveSnapshot: (path) => store.saveSnapshot(path, identity),
    onFatal: (listener) => store.onFatal(listener),
    async close() {
      cluster.close()
      await store.close()
    },
  })
}

/** The way to the other members; none for a member that is alone. */
async function reachOthers(
  { clock, replication }: MemberOptions,
  machine: Machine,
  { id, identity, address }: MemberPlan,
  events: LateEvents,
): Promise<Result<Transport, CannotListen>> {
  const listen = parseAddress(replication?.listenAddress ?? address)
  if (!listen.ok) return ok(noTransport)
  return machine.startPeers({
    id,
    name: identity.name ?? '',
    clusterId: identity.clusterId ?? '',
    address,
    listen: listen.value,
    tls: replication?.tls,
    clock: replication?.clock ?? clock,
    events,
    onJoin: (name) => events.describe(name),
    onProblem: replication?.onPeerProblem ?? (() => {}),
  })
}

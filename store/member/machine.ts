import { randomInt } from 'node:crypto'
import type { Corrupt, Result } from '../contract.ts'
import { type Database, isLocked, openDatabase } from '../disk/database.ts'
import { type Files, nodeFiles } from '../disk/files.ts'
import { type Inspection, inspectDatabase } from '../disk/inspect.ts'
import type { JoinOptions } from '../peers/join.ts'
import type { CannotListen, PeersOptions } from '../peers/peers.ts'
import type { RaftOptions } from '../raft/options.ts'
import { createRaft, type Raft } from '../raft/raft.ts'
import type { Transport } from './transport.ts'

/**
 * What a member asks of the machine that it runs on; time comes as a Clock beside it. The rest of a member is
 * deterministic: a simulation brings a machine of its own, and replays every run.
 */
export interface Machine {
  readonly files: Files
  /** Opens, or creates, the database in a folder. */
  openDatabase(path: string): Promise<Database>
  /** Somebody has the database in the folder open. */
  isLocked(path: string): Promise<boolean>
  /** Checks the files of a closed database. */
  inspectDatabase(path: string, inspection: Inspection): Promise<Result<boolean, Corrupt>>
  startPeers(options: PeersOptions): Promise<Result<Transport, CannotListen>>
  askToJoin(options: JoinOptions): Promise<{ readonly ok: boolean; readonly text: string }>
  /** An integer in [0, below). */
  random(below: number): number
  /** Runs `action` in a later turn of the event loop. */
  defer(action: () => void): void
  createRaft(options: RaftOptions): Raft
}

/** This machine. The transport is loaded only when there are others: a member that is alone starts faster. */
export const nodeMachine: Machine = {
  files: nodeFiles,
  openDatabase,
  isLocked,
  inspectDatabase,
  startPeers: async (options) => (await import('../peers/peers.ts')).startPeers(options),
  askToJoin: async (options) => (await import('../peers/join.ts')).askToJoin(options),
  random: (below) => randomInt(below),
  defer: (action) => {
    setImmediate(action)
  },
  createRaft,
}

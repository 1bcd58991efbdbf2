/** How a member reaches the others: what its driver asks of a transport, and what the transport tells it. */
import type { DatabaseView } from '../disk/database.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import type { InstallSnapshot, Message } from '../raft/message.ts'
import type { MemberId, Term } from '../raft/types.ts'
import type { MemberRecord } from './membership.ts'

/** A group of proposals on its way to the leader. */
export interface Forward {
  /** Only a leader of this term may take it: then its fate can be told from the log. */
  readonly term: Term
  /** Of its origin; a leader takes each once, in rising order. */
  readonly sequence: number
  readonly data: Buffer
}

export interface Transport {
  /** Sends the message, or loses it: then `unreachable` is told. */
  send(message: Exclude<Message, InstallSnapshot>): void
  /** Streams the state in `view` (and closes it), then tells `snapshotSent`. */
  sendSnapshot(message: InstallSnapshot, view: DatabaseView): void
  /** False: certainly not sent. */
  forward(to: MemberId, forward: Forward): boolean
  sendDigest(to: MemberId, index: number, digest: DigestValue): void
  /** Asks another member a question of cluster.ts; undefined when no answer came. */
  ask(to: MemberId, question: string): Promise<string | undefined>
  /**
   * Who is to be reached. Connections to others are closed, but for members from `nextId` on: they joined while this one
   * was away, maybe one of them leads, and this one learns of them by their messages.
   */
  setMembers(members: readonly MemberRecord[], nextId: number): void
  close(): Promise<void>
}

/** What arrives. Called in turns of the event loop of their own. */
export interface TransportEvents {
  onMessage(message: Message): void
  /** True: taken, or seen before. False: refused, certainly not taken. */
  onForward(forward: Forward): boolean
  onForwardRefused(sequence: number): void
  onDigest(from: MemberId, index: number, digest: DigestValue): void
  /** Messages to this member can leave again, or its answers can arrive again; what was sent before may be lost. */
  onConnected(id: MemberId): void
  onUnreachable(id: MemberId): void
  onSnapshotSent(id: MemberId, delivered: boolean): void
  /** A state begins to arrive; undefined: not now. */
  onSnapshot(message: InstallSnapshot): Promise<SnapshotReceiver | undefined>
  onQuestion(question: string): Promise<string>
}

/** Where an arriving state goes. */
export interface SnapshotReceiver {
  /** Records as they stand in a database. Wait for it before the next: it is the back-pressure. */
  write(records: readonly (readonly [Buffer, Buffer])[]): Promise<void>
  /** Everything has come; `message` goes to the core. */
  complete(message: InstallSnapshot): Promise<void>
  /** The transfer broke off. */
  abandon(): Promise<void>
}

/** The transport of a member that is alone. */
export const noTransport: Transport = {
  send() {},
  sendSnapshot(_message, view) {
    void view.close()
  },
  forward: () => false,
  sendDigest() {},
  ask: async () => undefined,
  setMembers() {},
  close: async () => {},
}

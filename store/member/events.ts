import type { DigestValue } from '../mvcc/digest.ts'
import type { InstallSnapshot, Message } from '../raft/message.ts'
import type { MemberId } from '../raft/types.ts'
import type { Cluster } from './cluster.ts'
import type { ArrivingState } from './installation.ts'
import type { MemberStore } from './member.ts'
import type { Forward, SnapshotReceiver, TransportEvents } from './transport.ts'

export interface EventTargets {
  readonly store: MemberStore
  readonly arriving: ArrivingState
  readonly cluster: Cluster
}

/** What arrives from other members, led to this one. Until it is connected, nothing is taken. */
export class LateEvents implements TransportEvents {
  #targets: EventTargets | undefined
  /** One state arrives at a time: a newer transfer ends the one before. */
  #transfer = 0

  connect(targets: EventTargets): void {
    this.#targets = targets
  }

  onMessage(message: Message): void {
    this.#targets?.store.replica.step(message)
  }

  onForward(forward: Forward): boolean {
    return this.#targets?.store.replica.takeForward(forward) ?? false
  }

  onForwardRefused(sequence: number): void {
    this.#targets?.store.replica.forwardRefused(sequence)
  }

  onDigest(from: MemberId, index: number, digest: DigestValue): void {
    this.#targets?.store.replica.noteDigest(from, index, digest)
  }

  onConnected(id: MemberId): void {
    this.#targets?.store.replica.connected(id)
  }

  onUnreachable(id: MemberId): void {
    this.#targets?.store.replica.drive((raft) => raft.reportUnreachable(id))
  }

  onSnapshotSent(id: MemberId, delivered: boolean): void {
    this.#targets?.store.replica.snapshotSent(id, delivered)
  }

  async onSnapshot(message: InstallSnapshot): Promise<SnapshotReceiver | undefined> {
    const targets = this.#targets
    if (targets === undefined || !targets.store.replica.offered(message)) return undefined
    const { arriving, store } = targets
    const transfer = ++this.#transfer
    await arriving.begin()
    const isCurrent = (): boolean => transfer === this.#transfer
    const current = (): void => {
      if (!isCurrent()) throw new Error('a newer transfer has begun')
    }
    return {
      async write(records) {
        current()
        await arriving.write(records)
      },
      async complete(message: InstallSnapshot) {
        current()
        store.replica.step(message)
      },
      async abandon() {
        if (isCurrent() && !store.replica.installs) await arriving.abandon()
      },
    }
  }

  /** What a joining member of this name needs to know. */
  async describe(name: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    return (await this.#targets?.cluster.describe(name)) ?? { ok: false, text: 'the member is starting' }
  }

  async onQuestion(question: string): Promise<string> {
    return (
      (await this.#targets?.cluster.answer(question)) ??
      '{"code":"Refused","message":"the member is starting"}'
    )
  }
}

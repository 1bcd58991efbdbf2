/**
 * The store as a list of everything that was ever committed, and every answer a search through it. Slow and plain:
 * what the real store is compared with.
 */

import { checkTransaction } from '../../store/check-transaction.ts'
import {
  type Clock,
  type CommitResponse,
  fail,
  type Key,
  type KeyValue,
  type Operation,
  ok,
  type RangeRequest,
  revision,
  type Store,
  type StoreEvent,
  type Timer,
  type Transaction,
  type Watch,
  type WatchListener,
  type WatchRequest,
} from '../../store/contract.ts'

interface Fact {
  readonly revision: number
  readonly key: Key
  /** Absent: deleted. */
  readonly value?: Buffer
  readonly expiresAtMs?: number
}

interface OpenWatch {
  readonly request: WatchRequest
  readonly listener: WatchListener
}

export class Oracle implements Store {
  readonly #clock: Clock
  readonly #facts: Fact[] = []
  readonly #watches = new Set<OpenWatch>()
  #revision = 0
  #oldest = 0
  #closed = false
  #transactions = 0
  #expiry: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#tick()
  }

  #at(key: Key, at: number): KeyValue | undefined {
    const fact = this.#facts.findLast((fact) => fact.key === key && fact.revision <= at)
    if (fact?.value === undefined) return undefined
    return { key, value: fact.value, modRevision: revision(fact.revision) }
  }

  #keysAt(at: number): Key[] {
    const keys = [...new Set(this.#facts.map(({ key }) => key))].sort((a, b) => (a < b ? -1 : 1))
    return keys.filter((key) => this.#at(key, at) !== undefined)
  }

  #unavailable() {
    return fail({ code: 'Unavailable', message: 'closed' } as const)
  }

  async range(request: RangeRequest) {
    if (this.#closed) return this.#unavailable()
    const at = request.revision ?? this.#revision
    if (at > this.#revision) {
      const current = revision(this.#revision)
      return fail({ code: 'FutureRevision', requested: revision(at), current } as const)
    }
    if (at < this.#oldest) {
      return fail({ code: 'Compacted', requested: revision(at), oldest: revision(this.#oldest) } as const)
    }
    const keys = this.#keysAt(at).filter((key) => key >= request.start && key < request.end)
    const entries = keys.slice(0, request.limit).flatMap((key) => {
      const found = this.#at(key, at)
      if (found === undefined) return []
      return [request.keysOnly === true ? { ...found, value: Buffer.alloc(0) } : found]
    })
    return ok({ entries, revision: revision(at), more: keys.length > entries.length, count: keys.length })
  }

  async commit(transaction: Transaction) {
    const checked = checkTransaction(transaction)
    if (!checked.ok) return checked
    if (this.#closed) return this.#unavailable()
    for (const guard of transaction.guards) {
      const current = this.#at(guard.key, this.#revision)
      if ((current?.modRevision ?? 0) === guard.modRevision) continue
      return fail({
        code: 'GuardFailed',
        key: guard.key,
        expected: guard.modRevision,
        revision: revision(this.#revision),
        ...(current === undefined ? {} : { current }),
      } as const)
    }
    this.#transactions++
    const answer: CommitResponse = { revision: revision(this.#apply(transaction.ops)) }
    return ok(answer)
  }

  #apply(ops: readonly Operation[]): number {
    const next = this.#revision + 1
    const facts: Fact[] = []
    for (const op of ops) {
      if (op.type === 'put') {
        const expiry = op.ttlMs === undefined ? {} : { expiresAtMs: this.#clock.wallMs() + op.ttlMs }
        facts.push({ revision: next, key: op.key, value: Buffer.from(op.value), ...expiry })
      } else if (this.#at(op.key, this.#revision) !== undefined) {
        facts.push({ revision: next, key: op.key })
      }
    }
    if (facts.length === 0) return this.#revision
    this.#facts.push(...facts)
    this.#revision = next
    for (const watch of [...this.#watches]) this.#deliver(watch, next)
    return next
  }

  #deliver({ request, listener }: OpenWatch, from: number): void {
    const events = this.#facts
      .filter((fact) => fact.revision >= from && fact.key >= request.start && fact.key < request.end)
      .map((fact) => this.#event(fact, request.previous === true))
    listener.onBatch({ revision: revision(this.#revision), events })
  }

  #event(fact: Fact, previous: boolean): StoreEvent {
    const before = previous ? this.#at(fact.key, fact.revision - 1) : undefined
    const shared = {
      key: fact.key,
      revision: revision(fact.revision),
      ...(before === undefined ? {} : { previous: before }),
    }
    return fact.value === undefined
      ? { type: 'delete', ...shared }
      : { type: 'put', value: fact.value, ...shared }
  }

  watch(request: WatchRequest, listener: WatchListener): Watch {
    const watch = { request, listener }
    let closed = false
    setImmediate(() => {
      if (closed) return
      if (this.#closed) return listener.onEnd({ code: 'Unavailable', message: 'closed' })
      const { from } = request
      if (from > this.#revision + 1) {
        return listener.onEnd({ code: 'FutureRevision', requested: from, current: revision(this.#revision) })
      }
      if (from <= this.#oldest) {
        return listener.onEnd({ code: 'Compacted', requested: from, oldest: revision(this.#oldest) })
      }
      this.#watches.add(watch)
      if (from <= this.#revision) this.#deliver(watch, from)
    })
    return {
      close: () => {
        closed = true
        this.#watches.delete(watch)
      },
    }
  }

  async readIndex() {
    return this.#closed ? this.#unavailable() : ok(revision(this.#revision))
  }

  async compact(at: number) {
    if (this.#closed) return this.#unavailable()
    if (at > this.#revision) {
      const current = revision(this.#revision)
      return fail({ code: 'FutureRevision', requested: revision(at), current } as const)
    }
    this.#oldest = Math.max(this.#oldest, at)
    return ok(undefined)
  }

  async status() {
    if (this.#closed) return this.#unavailable()
    return ok({
      revision: revision(this.#revision),
      oldest: revision(this.#oldest),
      keys: this.#keysAt(this.#revision).length,
      bytes: this.#facts.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0),
      commits: { buckets: [], sumSeconds: 0, batches: this.#transactions, transactions: this.#transactions },
    })
  }

  #tick(): void {
    const now = this.#clock.wallMs()
    const due = this.#keysAt(this.#revision).filter((key) => {
      const fact = this.#facts.findLast((fact) => fact.key === key)
      return fact?.expiresAtMs !== undefined && fact.expiresAtMs <= now
    })
    if (due.length > 0) this.#apply(due.map((key) => ({ type: 'delete', key })))
    this.#expiry = this.#clock.after(1000, () => this.#tick())
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#expiry?.cancel()
    const ended = [...this.#watches]
    this.#watches.clear()
    for (const { listener } of ended) listener.onEnd({ code: 'Unavailable', message: 'closed' })
  }
}

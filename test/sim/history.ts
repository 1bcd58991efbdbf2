/** What clients asked and were told, and whether a single copy of the data could have told it. */
import type { PutAnswer, PutRequest, ReadAnswer } from './contract.ts'
import type { Stored } from './kv.ts'
import { checkRegister, type RegisterOperation, type TimedOperation } from './linearizability.ts'
import { violated } from './safety.ts'

interface Call {
  readonly key: string
  readonly startMs: number
  endMs: number
  readonly request: PutRequest | undefined
  answer: PutAnswer | ReadAnswer | undefined
}

export interface History {
  begin(key: string, request: PutRequest | undefined, nowMs: number): Call
  /** Refused calls did nothing and are forgotten. */
  end(call: Call, answer: PutAnswer | ReadAnswer, nowMs: number): void
  /** Throws a violation; answers how many operations were checked and how many keys were too hard to decide. */
  check(): { readonly operations: number; readonly undecided: number }
}

export function createHistory(): History {
  const calls = new Set<Call>()

  /** Key and revision → value, as far as any answer told. */
  function valuesByRevision(): Map<string, number> {
    const values = new Map<string, number>()
    const tell = (key: string, stored: Stored | undefined) => {
      if (stored === undefined) return
      const place = `${key}@${stored.revision}`
      const known = values.get(place)
      if (known !== undefined && known !== stored.value) {
        throw violated('one value a revision', `${known} and ${stored.value} at ${stored.revision}`)
      }
      values.set(place, stored.value)
    }
    for (const { key, request, answer } of calls) {
      if (answer?.type === 'value' || answer?.type === 'guardFailed') tell(key, answer.current)
      // A delete makes no version, and none of an absent key makes a revision.
      if (answer?.type === 'done' && request !== undefined && request.value !== 0)
        tell(key, { value: request.value, revision: answer.revision })
    }
    return values
  }

  function operationOf(
    { key, request, answer }: Call,
    values: ReadonlyMap<string, number>,
  ): RegisterOperation[] {
    if (request === undefined) {
      return answer?.type === 'value' ? [{ type: 'read', found: answer.current?.value ?? 0 }] : []
    }
    const { value, guard } = request
    const expected = guard === undefined ? undefined : guard === 0 ? 0 : (values.get(`${key}@${guard}`) ?? -1)
    const done = answer?.type === 'done' ? true : answer?.type === 'guardFailed' ? false : undefined
    return [{ type: 'put', value, expected, done }]
  }

  return {
    begin(key, request, nowMs) {
      const call: Call = { key, startMs: nowMs, endMs: Number.POSITIVE_INFINITY, request, answer: undefined }
      calls.add(call)
      return call
    },
    end(call, answer, nowMs) {
      if (call.answer !== undefined) return
      if (answer.type === 'refused') {
        calls.delete(call)
        return
      }
      call.answer = answer
      if (answer.type !== 'unknown') call.endMs = nowMs
    },
    check() {
      const values = valuesByRevision()
      const byKey = new Map<string, TimedOperation[]>()
      for (const call of calls) {
        for (const operation of operationOf(call, values)) {
          const list = byKey.get(call.key) ?? []
          list.push({ startMs: call.startMs, endMs: call.endMs, operation })
          byKey.set(call.key, list)
        }
      }
      let undecided = 0
      for (const [key, operations] of byKey) {
        const verdict = checkRegister(operations)
        if (verdict === 'violated')
          throw violated('linearizability', `no order explains what clients saw of ${key}`)
        if (verdict === 'undecided') undecided++
      }
      return { operations: calls.size, undecided }
    },
  }
}

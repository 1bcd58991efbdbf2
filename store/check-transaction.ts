import {
  fail,
  ok,
  type Result,
  type TooLarge,
  type Transaction,
  transactionBytesMax,
  transactionOpsMax,
  valueBytesMax,
} from './contract.ts'

/** The limits of a transaction. Breaking its rules (one key twice, a time to live below a second) is a bug: throws. */
export function checkTransaction({ guards, ops }: Transaction): Result<void, TooLarge> {
  if (guards.length > transactionOpsMax) return tooLarge(guards.length, transactionOpsMax, 'guards')
  if (ops.length > transactionOpsMax) return tooLarge(ops.length, transactionOpsMax, 'operations')
  let bytes = 0
  for (const op of ops) {
    bytes += op.key.length
    if (op.type === 'delete') continue
    if (op.ttlMs !== undefined && !(op.ttlMs >= 1000)) throw new TypeError(`time to live of ${op.ttlMs} ms`)
    if (op.value.length > valueBytesMax) return tooLarge(op.value.length, valueBytesMax, 'value bytes')
    bytes += op.value.length
  }
  if (bytes > transactionBytesMax) return tooLarge(bytes, transactionBytesMax, 'transaction bytes')
  if (ops.length > 1 && new Set(ops.map((op) => op.key)).size < ops.length) {
    throw new TypeError('a transaction has two operations for one key')
  }
  return ok(undefined)
}

function tooLarge(found: number, limit: number, what: string): Result<never, TooLarge> {
  return fail({ code: 'TooLarge', found, limit, what })
}

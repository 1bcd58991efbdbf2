/** Which failures an answer over the link may mean for which call of the store; others are the member's mistake. */
import type {
  CommitFailure,
  Compacted,
  Corrupt,
  FutureRevision,
  StoreFailure,
  Unavailable,
  Unknown,
} from '../contract.ts'
import type { Answer } from './answers.ts'

/** Of a commit that was not answered with its revision. */
export function commitFailureOf(answer: Answer): CommitFailure {
  const failure = failureOf(answer)
  return failure.code === 'Compacted' || failure.code === 'FutureRevision' ? misfit(failure) : failure
}

/** Of a compaction that was not done. */
export function compactFailureOf(answer: Answer): FutureRevision | Unavailable | Unknown | Corrupt {
  const failure = failureOf(answer)
  if (failure.code === 'Unknown') return failure
  const read = rangeFailureOf(answer)
  return read.code === 'Compacted' ? misfit(read) : read
}

/** Of a range that was not answered with its entries. */
export function rangeFailureOf(answer: Answer): Compacted | FutureRevision | Unavailable | Corrupt {
  const failure = failureOf(answer)
  switch (failure.code) {
    case 'Compacted':
    case 'FutureRevision':
    case 'Unavailable':
    case 'Corrupt':
      return failure
    case 'GuardFailed':
    case 'Unknown':
    case 'TooLarge':
      return misfit(failure)
  }
}

/** Of calls that name no revision: a read index, the status. */
export function plainFailureOf(answer: Answer): Unavailable | Corrupt {
  const failure = rangeFailureOf(answer)
  return failure.code === 'Compacted' || failure.code === 'FutureRevision' ? misfit(failure) : failure
}

function failureOf(answer: Answer): StoreFailure {
  if (answer.kind === 'failed') return answer.failure
  return { code: 'Unavailable', message: `the member answered with ${answer.kind}` }
}

/** A failure that this call cannot have. */
function misfit({ code }: StoreFailure): Unavailable {
  return { code: 'Unavailable', message: `the member answered with ${code}` }
}

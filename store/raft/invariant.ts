/**
 * Stops on a broken invariant: a bug in the core, in its driver, or a disk that lost what it had confirmed. A member
 * that goes on after that could contradict what it promised to others, so it must not.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`raft invariant broken: ${message}`)
}

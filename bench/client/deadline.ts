/** How long one step (connect, one answer, the head of a watch) may take before it is given up. */
export const stepMs = 60_000

/** Rejects with `what` when `work` takes longer than `limitMs`. The work itself goes on: close what it holds. */
export function within<T>(work: Promise<T>, what: string, limitMs: number = stepMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing after ${limitMs} ms`)), limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** One time for all threads and processes of this machine: the system's monotonic clock. */

/** `performance.now()` begins anew in each thread. Nanoseconds do not fit into a number together with the days. */
const offsetUs = (() => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e6 + nanoseconds / 1000 - performance.now() * 1000
})()

/** Microseconds since some time before; the same in every thread. */
export function nowUs(): number {
  return performance.now() * 1000 + offsetUs
}

/** The same of a time of this thread's `performance.now()`. */
export function usOf(performanceMs: number): number {
  return performanceMs * 1000 + offsetUs
}

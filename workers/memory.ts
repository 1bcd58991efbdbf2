/**
 * How much garbage the processes of a server may gather. The nursery (V8's new space) first: by default it grows to 2 × 16 MiB
 * under load and stays there, and the dead objects in it keep their buffers, which are outside of it, alive: several
 * times its own size. A small one is collected more often, at no measurable cost. Then what has outlived it: V8 lets a
 * small heap grow to up to four times of what is alive before it looks. Figures: docs/performance.md.
 */

import { setFlagsFromString } from 'node:v8'

/** Half of the nursery of a worker, MiB. */
const semiSpaceMiB = 4

/** By how much the heap of a worker grows between two collections of all of it, percent of what is alive. */
const heapGrowingPercent = 150

/** The operator has sized the nursery: nothing here may speak against it. */
function isSized(execArgv: readonly string[], nodeOptions: string): boolean {
  return [...execArgv, nodeOptions].some((text) => /semi[-_]space/.test(text))
}

/** Arguments of Node for a worker, given those of this process. */
export function workerExecArgv(execArgv: readonly string[], nodeOptions = ''): string[] {
  if (isSized(execArgv, nodeOptions)) return [...execArgv]
  return [
    ...execArgv,
    `--max-semi-space-size=${semiSpaceMiB}`,
    `--heap-growing-percent=${heapGrowingPercent}`,
  ]
}

/**
 * What a worker's environment has more than that of this process: how the allocator of the GNU C library, where it is
 * used, takes memory from the system. For each TLS connection Node allocates an input buffer of 64 KiB and touches a page
 * or two of it. Within the allocator's heap it would lie on what earlier handshakes have touched; with these bounds it
 * has pages of its own, and those that nobody touches take no memory. An operator's own settings win.
 */
export function workerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const isTuned = Object.keys(environment).some((name) => /^MALLOC_|^GLIBC_TUNABLES$/.test(name))
  return isTuned ? {} : { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TOP_PAD_: '16384' }
}

/**
 * Keeps the nursery of this process as small as it is now. For a supervisor, whose values are buffers that a log or a
 * batch holds for a moment: the command line of Node is behind us, but growth asks this flag each time.
 */
export function keepNurserySmall(execArgv: readonly string[], nodeOptions = ''): void {
  if (!isSized(execArgv, nodeOptions)) setFlagsFromString('--semi-space-growth-factor=1')
}

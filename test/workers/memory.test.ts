import t from 'tap'
import { workerEnvironment } from '../../workers/memory.ts'

t.test(
  "a worker's allocator gives large buffers pages of their own, unless the operator has tuned it",
  async (t) => {
    const ours = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TOP_PAD_: '16384' }
    for (const [environment, added] of [
      [{ PATH: '/bin' }, ours],
      [{ MALLOC_ARENA_MAX: '2' }, {}],
      [{ MALLOC_MMAP_THRESHOLD_: '1000000' }, {}],
      [{ GLIBC_TUNABLES: 'glibc.malloc.mmap_threshold=1000000' }, {}],
    ] as const) {
      t.strictSame(workerEnvironment(environment), added, JSON.stringify(environment))
    }
  },
)

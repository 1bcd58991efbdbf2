import type { Controller } from './controller.ts'

/** A controller whose work is a queue that informers feed. */
export function followingController(
  queue: { close(): void },
  informers: readonly { start(): void; close(): void }[],
): Controller {
  return {
    start() {
      for (const informer of informers) informer.start()
    },
    close() {
      queue.close()
      for (const informer of informers) informer.close()
    },
  }
}

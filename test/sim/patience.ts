import type { Scheduler } from './scheduler.ts'

/** `action` runs once: when what is returned is first called, or when patience ends. A late answer finds it gone on. */
export function onceWithin(scheduler: Scheduler, patienceMs: number, action: () => void): () => void {
  let open = true
  const once = () => {
    if (open) action()
    open = false
  }
  scheduler.after(patienceMs, once)
  return once
}

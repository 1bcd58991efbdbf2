/**
 * Waits for a condition, by asking again in short intervals. For what no event announces (another process, a socket).
 * @param what what is waited for, for the message of the error after `withinMs`; asked for only then
 * @param withinMs a minute unless said: a test that passes does not wait for it, and a busy machine needs its time
 */
export async function eventually(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`waited ${withinMs} ms for ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/**
 * Waits for a condition, by asking again in short intervals. For what no event announces (another process, a socket).
 * @param what what is waited for, for the message of the error after `withinMs`; asked for only then
 */
export async function eventually(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`waited ${withinMs} ms for ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/**
 * Waits for a condition, by asking again in short intervals. For what no event announces (another process, a socket).
 * @param what what is waited for, for the message of the error after `withinMs`
 */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

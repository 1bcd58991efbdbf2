/** How long to wait before a worker is started again. */

const backoffBounds = { firstMs: 100, maxMs: 30_000, steadyMs: 60_000 } as const

/**
 * Doubles with each crash in a row, up to half a minute; a worker that lived for a minute starts the count again.
 * @param crashes in a row before this one
 */
export function nextBackoff(
  crashes: number,
  livedMs: number,
): { readonly delayMs: number; readonly crashes: number } {
  const before = livedMs >= backoffBounds.steadyMs ? 0 : crashes
  const delayMs = Math.min(backoffBounds.maxMs, backoffBounds.firstMs * 2 ** Math.min(before, 20))
  return { delayMs, crashes: before + 1 }
}

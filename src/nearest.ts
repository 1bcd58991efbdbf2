/** The candidate most like what was typed; undefined when none is close (more than a third of its letters differ). */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const away = distance(typed.toLowerCase(), candidate.toLowerCase())
    if (away < bestDistance && away <= Math.max(1, Math.floor(candidate.length / 3))) {
      best = candidate
      bestDistance = away
    }
  }
  return best
}

/** Levenshtein: letters to insert, drop or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Durations as people write them in queries: `10s`, `1m30s`, `250ms`. Milliseconds; undefined = not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ms|s|m|h|us|µs|ns))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|us|µs|ns)/g))
    total += Number(amount) * unitMs(unit)
  return total
}

function unitMs(unit: string): number {
  switch (unit) {
    case 'h':
      return 3_600_000
    case 'm':
      return 60_000
    case 's':
      return 1000
    case 'ms':
      return 1
    case 'ns':
      return 1e-6
    default:
      return 1e-3
  }
}

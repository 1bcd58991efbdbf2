/** What a command sees of the world, and how it ends. */

import { defaultDataDir } from '../flags/config.ts'

export interface CommandSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  readonly nowMs: number
  /** Standard output, for what is said before the end. */
  print(text: string): void
  /** Calls back at the first SIGTERM, SIGINT or SIGHUP. */
  onStopSignal(action: () => void): void
  /** Calls back for each line of standard input. */
  onLine(action: (line: string) => void): void
}

/** `text` is for standard output, `message` for standard error. Exit codes: 0, or 1, or 2 for wrong use. */
export type CommandEnd =
  | { readonly type: 'done'; readonly text: string }
  /** Everything was said, and it is not good: the exit code tells a script. */
  | { readonly type: 'bad'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'misused'; readonly message: string }

/** Exit code 0. */
export function done(text: string): CommandEnd {
  return { type: 'done', text }
}

/** Exit code 1. */
export function failed(message: string): CommandEnd {
  return { type: 'failed', message }
}

/** Exit code 2. */
export function misused(message: string): CommandEnd {
  return { type: 'misused', message }
}

export function dataDirOf(
  values: { readonly 'data-dir': string | undefined },
  surroundings: CommandSurroundings,
): string {
  return values['data-dir'] ?? defaultDataDir(surroundings)
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** Columns as wide as their longest cell, three spaces between. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)))
  return [head, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** `604 KiB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes / 1024
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

/** Where log lines go. One line = one event; `fields` carry the facts. Never put a token, key or secret's data in. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

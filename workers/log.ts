/** Log lines to standard error: for people, or one JSON object a line. */

import type { Log, LogFields } from '../src/observe/log.ts'
import type { LogConfig } from './flags/config.ts'
import type { LogLevel } from './flags/tables/logs.ts'

/** @param source of the lines: `supervisor`, `worker 1` */
export async function createLog({ level, format }: LogConfig, source: string): Promise<Log> {
  return format === 'json' ? createJsonLog(level, source) : createTextLog(level, source, writeError)
}

function writeError(line: string): void {
  process.stderr.write(line)
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** `2026-01-31T12:00:00.000Z INFO  worker 1: message key=value`. */
export function createTextLog(least: LogLevel, source: string, write: (line: string) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (ranks[level] < ranks[least]) return
      const time = new Date().toISOString()
      write(`${time} ${level.toUpperCase().padEnd(5)} ${source}: ${message}${describeFields(fields)}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function describeFields(fields: LogFields): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    text += ` ${name}=${typeof value === 'string' && /[\s"=]|^$/.test(value) ? JSON.stringify(value) : value}`
  }
  return text
}

/** The library is loaded for this format alone: it costs 10 ms at start. */
async function createJsonLog(level: LogLevel, source: string): Promise<Log> {
  const { default: pino } = await import('pino')
  const logger = pino(
    {
      level,
      base: { source },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Synchronous: the last line before the end of the process is the one that is needed most.
    pino.destination({ dest: 2, sync: true }),
  )
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  }
}

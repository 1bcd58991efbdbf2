/** Flags of what is told about the server: lines and metrics. */

import { fail, ok } from '../../../store/contract.ts'
import { choice, type FlagKind, flag } from '../flag.ts'

const group = 'Logs'
const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Of the API version that is served. */
const previousMinor: FlagKind<string> = {
  placeholder: 'VERSION',
  parse: (value) =>
    value === '1.29'
      ? ok(value)
      : fail("must be omitted or have the value '1.29'. Only the previous minor version is allowed"),
}

export const logFlags = {
  'show-hidden-metrics-for-version': flag({
    group,
    kind: previousMinor,
    default: undefined,
    defaultHelp: 'none',
    help: 'Shows metrics that this version hides because they are deprecated: the last chance to move away from them. Only the previous minor version, 1.29, can be named.',
  }),
  'log-level': flag({
    group,
    kind: choice(...logLevels),
    default: 'info',
    help: 'Least important lines that are written (to standard error).',
    short: 'v',
  }),
  'log-format': flag({
    group,
    kind: choice('text', 'json'),
    default: 'text',
    help: 'Lines for people, or one JSON object for each line.',
  }),
} as const

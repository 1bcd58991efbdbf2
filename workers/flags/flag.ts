/** Flags as data: what each takes, means and defaults to. Parsing, help and documentation all read the same table. */

import { parseDuration } from '../../src/pipeline/duration.ts'
import { fail, ok, type Result } from '../../store/contract.ts'

/** How the text behind a flag is read. */
export type FlagKind<T> = {
  /** What `--help` writes behind the name: `DURATION`. */
  readonly placeholder: string
  /** A flag without `=value` and without a following value means this. */
  readonly bare?: string
  /** The failure completes a sentence: "--workers: …". */
  parse(text: string): Result<T, string>
}

export interface Flag<T> {
  readonly group: FlagGroup
  readonly kind: FlagKind<T>
  /** As on the command line; undefined = not set. */
  readonly default: string | undefined
  /** Shown instead of the default. */
  readonly defaultHelp?: string
  readonly help: string
  readonly short?: string
}

export const flagGroups = [
  'Storage',
  'Cluster',
  'Listeners',
  'Certificates and tokens',
  'Access',
  'Nodes',
  'API',
  'Processes',
  'Logs',
  'Audit',
  'Output',
] as const
type FlagGroup = (typeof flagGroups)[number]

export const text: FlagKind<string> = {
  placeholder: 'TEXT',
  parse: (value) => (value === '' ? fail('must not be empty') : ok(value)),
}

export const file: FlagKind<string> = { ...text, placeholder: 'FILE' }
export const directory: FlagKind<string> = { ...text, placeholder: 'DIR' }

/** Whole numbers from `min` to `max`, both included. */
export function integer(min: number, max: number, placeholder = 'NUMBER'): FlagKind<number> {
  return {
    placeholder,
    parse(value) {
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= min && number <= max) return ok(number)
      return fail(`must be a whole number from ${min} to ${max}, found ${JSON.stringify(value)}`)
    },
  }
}

export const port = integer(0, 65_535, 'PORT')

/** Of durations, in milliseconds. */
export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute

/** Milliseconds, from Go's notation: `5m`, `1h30m`, `250ms`. */
export function duration(minMs: number, maxMs: number): FlagKind<number> {
  return {
    placeholder: 'DURATION',
    parse(value) {
      const ms = parseDuration(value)
      if (ms === undefined)
        return fail(`must be a duration such as 30s, 5m or 1h30m, found ${JSON.stringify(value)}`)
      if (ms >= minMs && ms <= maxMs) return ok(ms)
      return fail(`must be from ${describeMs(minMs)} to ${describeMs(maxMs)}, found ${value}`)
    },
  }
}

function describeMs(ms: number): string {
  if (ms >= hour) return `${ms / hour}h`
  return ms >= minute ? `${ms / minute}m` : `${ms / second}s`
}

/** One of these words. */
export function choice<T extends string>(...values: readonly T[]): FlagKind<T> {
  return {
    placeholder: values.join('|'),
    parse(value) {
      const found = values.find((one) => one === value)
      return found === undefined
        ? fail(`must be one of ${values.join(', ')}, found ${JSON.stringify(value)}`)
        : ok(found)
    },
  }
}

export const list: FlagKind<readonly string[]> = {
  placeholder: 'A,B,…',
  parse(value) {
    const items = value.split(',').map((item) => item.trim())
    return items.includes('') ? fail(`has an empty item: ${JSON.stringify(value)}`) : ok(items)
  },
}

export const boolean: FlagKind<boolean> = {
  placeholder: 'true|false',
  parse(value) {
    const on = booleans.get(value.toLowerCase())
    return on === undefined ? fail(`must be true or false, found ${JSON.stringify(value)}`) : ok(on)
  },
}

/** Some of the values, each at most once, in an order that counts. */
export function choices<T extends string>(...values: readonly T[]): FlagKind<readonly T[]> {
  const one = choice(...values)
  return {
    placeholder: 'A,B,…',
    parse(value) {
      const chosen: T[] = []
      for (const item of value.split(',').map((part) => part.trim())) {
        const parsed = one.parse(item)
        if (!parsed.ok) return parsed
        if (chosen.includes(parsed.value)) return fail(`names ${item} more than once`)
        chosen.push(parsed.value)
      }
      return ok(chosen)
    },
  }
}

/** `key[=true|false],…`; a missing value means `bareValue`, or is a failure where that is undefined. */
export function switches(bareValue: boolean | undefined): FlagKind<ReadonlyMap<string, boolean>> {
  return {
    placeholder: bareValue === undefined ? 'NAME=true|false,…' : 'KEY[=true|false],…',
    parse(value) {
      const map = new Map<string, boolean>()
      for (const item of value.split(',')) {
        const [key = '', setting, ...rest] = item.split('=').map((part) => part.trim())
        const on = setting === undefined ? bareValue : booleans.get(setting.toLowerCase())
        if (key === '' || on === undefined || rest.length > 0) {
          return fail(`${JSON.stringify(item)} is not of the form ${this.placeholder.replace(',…', '')}`)
        }
        map.set(key, on)
      }
      return ok(map)
    },
  }
}

/** `key=value,…`: each key once. */
export const pairs: FlagKind<ReadonlyMap<string, string>> = {
  placeholder: 'KEY=VALUE,…',
  parse(value) {
    const map = new Map<string, string>()
    for (const item of value.split(',')) {
      const at = item.indexOf('=')
      const key = item.slice(0, Math.max(0, at)).trim()
      if (key === '') return fail(`${JSON.stringify(item)} is not of the form KEY=VALUE`)
      if (map.has(key)) return fail(`names ${key} more than once`)
      map.set(key, item.slice(at + 1))
    }
    return ok(map)
  },
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['t', true],
  ['false', false],
  ['0', false],
  ['f', false],
])

export function flag<T>(definition: Flag<T>): Flag<T> {
  return definition
}

/** Accessors of timestamps, in UTC or in a time zone by name (`Europe/Paris`) or offset (`-08:00`), and of durations. */

import { CelDuration, CelError, CelTimestamp, noSuchOverload, type Value } from '../../values/value.ts'
import { define, type Overload } from '../library.ts'

/** A wall clock, told as if it were UTC. Years fit: timestamps do. */
type WallClock = Date

/** Rules of a time zone are looked up and worked out, which takes longer than other functions of cost 1. */
const zoneCost = 10

const zonesMax = 64
const zones = new Map<string, Intl.DateTimeFormat | CelError>()

function zoneOf(name: string): Intl.DateTimeFormat | CelError {
  const known = zones.get(name)
  if (known !== undefined) return known
  const made = makeZone(name)
  if (zones.size >= zonesMax) zones.clear()
  zones.set(name, made)
  return made
}

function makeZone(name: string): Intl.DateTimeFormat | CelError {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name === '' ? 'UTC' : name,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return new CelError(`unknown time zone ${name}`)
  }
}

function utcClock(timestamp: CelTimestamp): WallClock {
  const millis = timestamp.nanos / 1_000_000n
  return new Date(Number(timestamp.nanos % 1_000_000n < 0n ? millis - 1n : millis))
}

function shifted(clock: WallClock, minutes: number): WallClock {
  return new Date(clock.getTime() + minutes * 60_000)
}

function zonedClock(timestamp: CelTimestamp, zone: string): WallClock | CelError {
  const utc = utcClock(timestamp)
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    return shifted(utc, offset[1] === '-' ? -minutes : minutes)
  }
  const format = zone.includes(':') ? new CelError(`unknown time zone ${zone}`) : zoneOf(zone)
  if (format instanceof CelError) return format
  return wallClockIn(format, utc)
}

function wallClockIn(format: Intl.DateTimeFormat, utc: WallClock): WallClock {
  const parts = new Map(format.formatToParts(utc).map((part) => [part.type, part.value]))
  const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0)
  const year = parts.get('era')?.startsWith('B') ? 1 - numberOf('year') : numberOf('year')
  const clock = new Date(0)
  clock.setUTCFullYear(year, numberOf('month') - 1, numberOf('day'))
  clock.setUTCHours(numberOf('hour'), numberOf('minute'), numberOf('second'), utc.getUTCMilliseconds())
  return clock
}

function dayOfYear(clock: WallClock): number {
  const start = new Date(0)
  start.setUTCFullYear(clock.getUTCFullYear(), 0, 1)
  return Math.floor((clock.getTime() - start.getTime()) / 86_400_000)
}

const readers: Readonly<Record<string, (clock: WallClock) => number>> = {
  getFullYear: (clock) => clock.getUTCFullYear(),
  getMonth: (clock) => clock.getUTCMonth(),
  getDate: (clock) => clock.getUTCDate(),
  getDayOfMonth: (clock) => clock.getUTCDate() - 1,
  getDayOfWeek: (clock) => clock.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (clock) => clock.getUTCHours(),
  getMinutes: (clock) => clock.getUTCMinutes(),
  getSeconds: (clock) => clock.getUTCSeconds(),
  getMilliseconds: (clock) => clock.getUTCMilliseconds(),
}

function accessor(name: string, read: (clock: WallClock) => number): Overload[] {
  const inZone = (timestamp: Value, zone: Value): Value => {
    if (!(timestamp instanceof CelTimestamp) || typeof zone !== 'string') return noSuchOverload
    const clock = zonedClock(timestamp, zone)
    return clock instanceof CelError ? clock : read(clock)
  }
  return [
    define(`timestamp.${name}(): int`, (timestamp) =>
      timestamp instanceof CelTimestamp ? read(utcClock(timestamp)) : noSuchOverload,
    ),
    define(`timestamp.${name}(string): int`, inZone, () => zoneCost),
  ]
}

/** Whole units of the duration, toward zero. */
function whole(name: string, nanos: bigint): Overload {
  return define(`duration.${name}(): int`, (duration) =>
    duration instanceof CelDuration ? Number(duration.nanos / nanos) : noSuchOverload,
  )
}

export const times: readonly Overload[] = [
  ...Object.entries(readers).flatMap(([name, read]) => accessor(name, read)),
  whole('getHours', 3_600_000_000_000n),
  whole('getMinutes', 60_000_000_000n),
  whole('getSeconds', 1_000_000_000n),
  whole('getMilliseconds', 1_000_000n),
]

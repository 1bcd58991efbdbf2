/**
 * The schedule of a cron job: five fields, or a word such as `@daily`, or `@every 1h30m`. Says what is wrong.
 *
 * Source: Kubernetes concept "CronJob", schedule syntax (Vixie cron with steps).
 */

interface Bounds {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly words?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const fields: readonly Bounds[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: months },
  { name: 'day of week', min: 0, max: 6, words: days },
]

const words: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
])

const everyPrefix = '@every '
const duration = /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/

/** Undefined = the schedule can be kept. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return wordProblem(schedule)
  const parts = schedule.trim().split(/\s+/)
  if (parts.length !== fields.length)
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
  for (const [i, part] of parts.entries()) {
    const bounds = fields[i]
    const problem = bounds === undefined ? undefined : listProblem(part, bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

function wordProblem(schedule: string): string | undefined {
  if (words.has(schedule)) return undefined
  if (!schedule.startsWith(everyPrefix)) return `unrecognized descriptor: ${schedule}`
  const given = schedule.slice(everyPrefix.length)
  return duration.test(given) || given === '0' ? undefined : `failed to parse duration ${schedule}`
}

function listProblem(list: string, bounds: Bounds): string | undefined {
  for (const range of list.split(',')) {
    const problem = range === '' ? undefined : rangeProblem(range, bounds)
    if (problem !== undefined) return problem
  }
  return /^,*$/.test(list) ? `failed to parse ${bounds.name} from ${JSON.stringify(list)}` : undefined
}

/** `*`, `5`, `1-5`, `mon-fri`, each with `/2`. */
function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...more] = text.split('/')
  if (more.length > 0) return `too many slashes: ${text}`
  if (step !== undefined && !/^\d+$/.test(step)) return `failed to parse int from ${step}`
  if (step !== undefined && Number(step) === 0) return `step of range should be a positive number: ${text}`
  const ends = range.split('-')
  if (ends[0] === '*' || ends[0] === '?') return ends.length === 1 ? undefined : `too many hyphens: ${text}`
  if (ends.length > 2) return `too many hyphens: ${text}`
  const [start, end = start] = ends.map((one) => numberOf(one, bounds))
  const wrong = ends.find((one) => numberOf(one, bounds) === undefined)
  if (wrong !== undefined || start === undefined || end === undefined)
    return `failed to parse int from ${wrong ?? text}`
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`
  return undefined
}

function numberOf(text: string, { words: names, min }: Bounds): number | undefined {
  const place = names?.indexOf(text.toLowerCase()) ?? -1
  if (place >= 0) return place + min
  return /^\d+$/.test(text) ? Number(text) : undefined
}

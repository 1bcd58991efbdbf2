/**
 * One Prometheus text out of those of several processes. Counters, histograms and most gauges (requests in flight,
 * memory) add up; what every worker says about the one store, or is no amount, does not.
 */

const largestOnly =
  /^(store_|\w+_(feature_enabled|build_info)|apiserver_requested_deprecated_apis|apiserver_storage_(objects|size_bytes|db_total)|apiserver_watch_cache_resource_version|apiserver_auth(entication|orization)_config_controller_|nodejs_eventloop_lag|nodejs_version_info|process_start_time|process_max_fds)/

/** One process that is not well is one too many. */
const smallestOnly = /^[a-z]+_healthcheck\{/

interface Family {
  /** HELP and TYPE lines. */
  readonly head: string[]
  /** By name and labels. */
  readonly samples: Map<string, number>
}

/** Adds up what the processes tell of one metric, in Prometheus text format. */
export function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, Family>()
  for (const text of texts) addTo(families, text)
  let merged = ''
  for (const { head, samples } of families.values()) {
    for (const line of head) merged += `${line}\n`
    for (const [series, value] of samples) merged += `${series} ${formatValue(value)}\n`
  }
  return merged
}

function addTo(families: Map<string, Family>, text: string): void {
  let family: Family | undefined
  let isNew = false
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ') || line.startsWith('# TYPE ')) {
      const name = line.split(' ', 3)[2] ?? ''
      const known = families.get(name)
      if (known === undefined || known !== family) isNew = known === undefined
      family = known ?? { head: [], samples: new Map() }
      families.set(name, family)
      if (isNew) family.head.push(line)
    } else if (line !== '' && !line.startsWith('#') && family !== undefined) addSample(family, line)
  }
}

function addSample({ samples }: Family, line: string): void {
  const space = line.indexOf(' ', line.lastIndexOf('}') + 1)
  const series = line.slice(0, space)
  const value = Number(
    line
      .slice(space + 1)
      .split(' ', 1)[0]
      ?.replace('Inf', 'Infinity'),
  )
  const before = samples.get(series)
  if (before === undefined) samples.set(series, value)
  else if (smallestOnly.test(series)) samples.set(series, Math.min(before, value))
  else samples.set(series, largestOnly.test(series) ? Math.max(before, value) : before + value)
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

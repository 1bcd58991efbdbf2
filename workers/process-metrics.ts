import { header, sample } from '../src/observe/exposition.ts'

/** What the supervisor adds to the metrics of the workers: its own processor time and memory, under their names. */
export function ownMetrics(): string {
  const { user, system } = process.cpuUsage()
  const name = 'process_cpu_seconds_total'
  const memory = 'process_resident_memory_bytes'
  return (
    header(name, 'Total user and system CPU time spent in seconds.', 'counter') +
    sample(name, '', (user + system) / 1e6) +
    header(memory, 'Resident memory size in bytes.', 'gauge') +
    sample(memory, '', process.memoryUsage.rss())
  )
}

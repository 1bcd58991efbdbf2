/** Source: specification, "Deprecation rules" 11a and 11b; deprecated metrics. */

import t from 'tap'
import { header } from '../../../src/observe/exposition.ts'
import { isHiddenIn } from '../../../src/observe/stability.ts'
import { startInProcess } from '../../support/in-process-server.ts'

t.test('the level of a metric is the first that its text says', (t) => {
  const rows: readonly (readonly [name: string, prefix: string])[] = [
    ['apiserver_request_total', '[STABLE]'],
    ['apiserver_requested_deprecated_apis', '[STABLE]'],
    ['apiserver_flowcontrol_rejected_requests_total', '[BETA]'],
    ['kubernetes_feature_enabled', '[BETA]'],
    ['cluster_feature_enabled', '[BETA]'],
    ['store_revision', '[ALPHA]'],
    ['apiserver_storage_db_total_size_in_bytes', '[ALPHA] (Deprecated from 1.28)'],
  ]
  for (const [name, prefix] of rows)
    t.equal(header(name, 'Help.', 'gauge'), `# HELP ${name} ${prefix} Help.\n# TYPE ${name} gauge\n`)
  t.end()
})

t.test('an alpha metric is hidden with its deprecation, others are not hidden', (t) => {
  t.notOk(isHiddenIn(27, 'apiserver_storage_db_total_size_in_bytes'))
  t.ok(isHiddenIn(28, 'apiserver_storage_db_total_size_in_bytes'))
  t.notOk(isHiddenIn(99, 'apiserver_request_total'))
  t.end()
})

for (const showHiddenMetrics of [false, true]) {
  t.test(`every metric of a server, hidden ones ${showHiddenMetrics ? 'too' : 'not'}`, async (t) => {
    const told: string[] = []
    const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void told.push(message) }
    const server = await startInProcess({ options: { showHiddenMetrics, log } })
    t.teardown(() => server.close())
    await server.request({ method: 'GET', target: '/api/v1/pods' })
    const text = await server.api.metricsText()
    const helps = text.split('\n').filter((line) => line.startsWith('# HELP '))
    t.ok(helps.length > 30, `${helps.length} metrics`)
    for (const line of helps)
      t.match(line, /^# HELP \S+ \[(ALPHA|BETA|STABLE)\] (\(Deprecated from 1\.\d+\) )?[^[\s]/, line)
    t.match(text, /^# HELP kubernetes_feature_enabled \[BETA\] /m)
    t.match(text, /^apiserver_storage_size_bytes\{storage_cluster_id="store"\} \d+$/m)
    t.equal(text.includes('apiserver_storage_db_total_size_in_bytes'), showHiddenMetrics)
    t.equal(told.includes('a deprecated metric is shown'), showHiddenMetrics)
  })
}

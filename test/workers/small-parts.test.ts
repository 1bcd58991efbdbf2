/** The small pure parts of the processes, each as a table. */

import t from 'tap'
import { localUrl, probePort } from '../../workers/addresses.ts'
import { describeReady } from '../../workers/announce.ts'
import { nextBackoff } from '../../workers/backoff.ts'
import { parseRequestTarget } from '../../workers/http/request-target.ts'
import { chooseLinkPath } from '../../workers/link-path.ts'
import { createTextLog } from '../../workers/log.ts'
import { workerExecArgv } from '../../workers/memory.ts'
import { mergeExpositions } from '../../workers/metrics.ts'

t.test('backoff doubles, is bounded, and forgets after a steady minute', (t) => {
  const delays: number[] = []
  let crashes = 0
  for (let i = 0; i < 12; i++) {
    const next = nextBackoff(crashes, 10)
    delays.push(next.delayMs)
    crashes = next.crashes
  }
  t.same(delays, [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000])
  t.same(nextBackoff(crashes, 60_000), { delayMs: 100, crashes: 1 })
  t.end()
})

t.test('the memory of a worker is bounded, unless the operator has decided', (t) => {
  const bounds = ['--max-semi-space-size=4', '--heap-growing-percent=150']
  const table = [
    { execArgv: [], nodeOptions: undefined, becomes: bounds },
    { execArgv: ['--cpu-prof'], nodeOptions: '', becomes: ['--cpu-prof', ...bounds] },
    {
      execArgv: ['--max-semi-space-size=32'],
      nodeOptions: undefined,
      becomes: ['--max-semi-space-size=32'],
    },
    { execArgv: [], nodeOptions: '--max_semi_space_size=32', becomes: [] },
  ]
  for (const { execArgv, nodeOptions, becomes } of table) {
    t.same(workerExecArgv(execArgv, nodeOptions), becomes, `${execArgv.join(' ')} | ${nodeOptions ?? ''}`)
  }
  t.end()
})

t.test('metrics of several processes', (t) => {
  const one = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",path="a b}"} 3
requests_total{code="404"} 1
# HELP store_revision Last revision.
# TYPE store_revision gauge
store_revision 17
`
  const two = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",path="a b}"} 4
# HELP store_revision Last revision.
# TYPE store_revision gauge
store_revision 18
# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 2
seconds_sum 0.5
nan NaN
inf +Inf
`
  t.equal(
    mergeExpositions([one, two, '']),
    `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",path="a b}"} 7
requests_total{code="404"} 1
# HELP store_revision Last revision.
# TYPE store_revision gauge
store_revision 18
# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 2
seconds_sum 0.5
nan NaN
inf +Inf
`,
  )
  const reload = 'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds'
  const times = [5, 7].map((time) => `# HELP ${reload} Time.\n# TYPE ${reload} gauge\n${reload} ${time}\n`)
  t.match(mergeExpositions(times), `${reload} 7\n`, 'times of reloads do not add up')
  t.end()
})

t.test('request targets', (t) => {
  const rows: readonly [string, object | undefined][] = [
    ['/', { path: '/', query: '' }],
    ['/a?', { path: '/a', query: '' }],
    ['/a?b?c', { path: '/a', query: 'b?c' }],
    ['//a/b', { path: '//a/b', query: '' }],
    ['http://h:1/a?b', { path: '/a', query: 'b' }],
    ['HTTPS://h', { path: '/', query: '' }],
    ['http://h?x', { path: '/', query: 'x' }],
    ['*', undefined],
    ['h:1', undefined],
    ['', undefined],
  ]
  for (const [target, expected] of rows) t.strictSame(parseRequestTarget(target), expected, target)
  t.end()
})

t.test(
  'the link lies in the data directory, or elsewhere where its path is too long for a socket',
  async (t) => {
    t.equal((await chooseLinkPath('/data')).path, '/data/link.sock')
    const elsewhere = await chooseLinkPath(`/${'long/'.repeat(30)}`)
    t.notMatch(elsewhere.path, 'long')
    t.ok(Buffer.byteLength(elsewhere.path) <= 103)
    await elsewhere.remove()
  },
)

t.test('addresses', async (t) => {
  t.equal(localUrl('https', '0.0.0.0', 1), 'https://127.0.0.1:1')
  t.equal(localUrl('https', '::1', 1), 'https://[::1]:1')
  t.equal(localUrl('http', 'host', 1), 'http://host:1')
  const probed = await probePort('127.0.0.1', 0)
  t.ok(probed.ok && probed.value > 0)
  t.match(await probePort('192.0.2.1', 1), { ok: false, failure: { code: 'AddressNotAvailable' } })
})

t.test('log lines for people', (t) => {
  const lines: string[] = []
  const log = createTextLog('info', 'worker 1', (line) => lines.push(line))
  log.debug('not written')
  log.info('ready', { port: 6443, path: '/a b', empty: '', absent: undefined, on: true })
  log.error('broken')
  t.equal(lines.length, 2)
  t.match(
    lines[0],
    /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}worker 1: ready port=6443 path="\/a b" empty="" on=true\n$/,
  )
  t.match(lines[1], /ERROR worker 1: broken\n$/)
  t.end()
})

t.test('what is printed at the start', (t) => {
  const https = { scheme: 'https', transport: 'node', host: '0.0.0.0', port: 6443 } as const
  const http = { scheme: 'http', transport: 'uws', host: '127.0.0.1', port: 8080 } as const
  const facts = { dataDir: '/my data', kubeconfigPath: '/my data/admin.kubeconfig', tookMs: 420, workers: 2 }
  const cluster = describeReady({
    ...facts,
    dialect: 'cluster',
    listeners: [https, http],
    plainNote: undefined,
  })
  t.match(cluster, /is ready after 0.42 s: API 1.30, dialect cluster\n/)
  t.match(cluster, 'https://127.0.0.1:6443 and all addresses (0.0.0.0) (node:https, 2 workers)')
  t.match(cluster, 'http://127.0.0.1:8080 (uWebSockets.js, 2 workers)')
  t.match(cluster, "curl --cacert '/my data/pki/ca.crt'")
  const kubernetes = describeReady({
    ...facts,
    workers: 0,
    dialect: 'kubernetes',
    listeners: [https, { ...http, transport: 'node' }],
    plainNote: 'uWebSockets.js is not installed',
  })
  t.match(kubernetes, "kubectl --kubeconfig '/my data/admin.kubeconfig' get namespaces\n")
  t.match(kubernetes, '(node:http, one process; uWebSockets.js is not installed)')
  t.end()
})

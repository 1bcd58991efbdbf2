/** Source: Prometheus text exposition format, version 0.0.4. */

import t from 'tap'
import { Histogram, labelText, Numbers } from '../../../src/observe/exposition.ts'
import { RequestMetrics } from '../../../src/observe/request-metrics.ts'
import { parseRequestInfo } from '../../../src/pipeline/request-info.ts'

t.test('numbers and histograms as text', (t) => {
  const numbers = new Numbers('things', 'Things seen.', 'counter')
  numbers.add(labelText({ kind: 'a "b"\n\\' }), 2)
  numbers.add('', 1)
  t.equal(
    numbers.text(),
    '# HELP things [ALPHA] Things seen.\n# TYPE things counter\nthings{kind="a \\"b\\"\\n\\\\"} 2\nthings 1\n',
  )
  const histogram = new Histogram('seconds', 'Time.', [1, 2])
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe('x="y"', value)
  t.equal(
    histogram.text(),
    [
      '# HELP seconds [ALPHA] Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{x="y",le="1"} 2',
      'seconds_bucket{x="y",le="2"} 3',
      'seconds_bucket{x="y",le="+Inf"} 4',
      'seconds_sum{x="y"} 12',
      'seconds_count{x="y"} 4',
      '',
    ].join('\n'),
  )
  t.end()
})

t.test('clients cannot make up label values', (t) => {
  const metrics = new RequestMetrics({
    find: ({ resource }) => ({ ok: resource === 'pods' }),
    removedRelease: () => undefined,
  })
  for (const path of ['/api/v1/pods', '/api/v1/evil-1', '/api/v1/evil-2', '/evil-3']) {
    const parsed = parseRequestInfo('GET', path, false)
    metrics.request({
      info: parsed.ok ? parsed.value : undefined,
      code: 200,
      seconds: 0.01,
      ownSeconds: 0.01,
      bytes: 10,
      dryRun: false,
      terminated: false,
      isApply: false,
    })
  }
  const text = metrics.text()
  t.match(
    text,
    /apiserver_request_total\{[^}]*verb="LIST"[^}]*resource="pods"[^}]*scope="cluster"[^}]*code="200"\} 1/,
  )
  t.match(text, /apiserver_request_total\{[^}]*verb="LIST"[^}]*resource=""[^}]*\} 2/)
  t.match(text, /apiserver_request_total\{[^}]*verb="GET"[^}]*resource=""[^}]*\} 1/)
  t.notMatch(text, /evil/)
  t.end()
})

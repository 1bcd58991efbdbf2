import t from 'tap'
import type { Endpoint } from '../../../bench/client/endpoint.ts'
import { buildRequest, configMap, RequestTemplate, slots } from '../../../bench/client/request.ts'

const credentials = { server: 'http://[::1]:6443' }
const endpoint: Endpoint = { host: '::1', port: 6443, tls: undefined, token: 'secret', credentials }

t.test('a request is what HTTP/1.1 wants', (t) => {
  const bytes = buildRequest(endpoint, { method: 'POST', target: '/a?b', contentType: 'x/y', body: 'é' })
  t.same(bytes.toString('utf8').split('\r\n'), [
    'POST /a?b HTTP/1.1',
    'host: [::1]:6443',
    'accept: application/json',
    'user-agent: cluster-apiserver-bench',
    'authorization: Bearer secret',
    'content-type: x/y',
    'content-length: 2',
    '',
    'é',
  ])
  t.end()
})

t.test('an object has the size asked for, and its slots are filled in place', (t) => {
  const text = configMap(`c-${slots.sequence}`, 1024)
  t.equal(Buffer.byteLength(text), 1024)
  const template = new RequestTemplate(Buffer.from(text))
  const filled = JSON.parse(template.fill(42, 1234.9, 7).toString('utf8'))
  t.match(filled, {
    metadata: { name: 'c-0000000042', labels: { 'bench-bucket': 'b07' } },
    data: { counter: '0000000042', sent: '0000000000001234' },
  })
  const again = JSON.parse(template.fill(9_999_999_999, 5).toString('utf8'))
  t.match(again, { metadata: { name: 'c-9999999999', labels: { 'bench-bucket': 'b00' } } })
  t.end()
})

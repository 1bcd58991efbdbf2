import t from 'tap'
import { runApiSuiteOver } from './api-over.ts'
import { overHttp2 } from './http2-server-under-test.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { serveNode } from './transports.ts'

const { ca, tls } = await createTlsFixture()

t.test('the API over HTTP/2', (t) =>
  runApiSuiteOver(
    t,
    (handler) => serveNode(handler, tls),
    ({ port }) => overHttp2({ port, ca }),
  ),
)

import t from 'tap'
import { runApiSuiteOver } from './api-over.ts'
import { overHttp } from './http-server-under-test.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { serveNode } from './transports.ts'

const { ca, tls } = await createTlsFixture()

t.test('the API over node:https', (t) =>
  runApiSuiteOver(
    t,
    (handler) => serveNode(handler, tls),
    ({ scheme, port }) => overHttp({ scheme, port, ca }),
  ),
)

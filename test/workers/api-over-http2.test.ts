import t from 'tap'
import { listenNode } from '../../workers/http/node.ts'
import { runApiSuiteOver } from './api-over.ts'
import { overHttp2 } from './http2-server-under-test.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { listening } from './transports.ts'

const { ca, tls } = await createTlsFixture()

t.test('the API over HTTP/2', (t) =>
  runApiSuiteOver(
    t,
    (handler) =>
      listening(
        listenNode({
          host: '127.0.0.1',
          port: 0,
          tls,
          handler,
          onHandlerError: (error) => void t.fail(String(error)),
        }),
      ),
    ({ port }) => overHttp2({ port, ca }),
  ),
)

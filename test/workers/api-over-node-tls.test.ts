import t from 'tap'
import { listenNode } from '../../workers/http/node.ts'
import { runApiSuiteOver } from './api-over.ts'
import { overHttp } from './http-server-under-test.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { listening } from './transports.ts'

const { ca, tls } = await createTlsFixture()

t.test('the API over node:https', (t) =>
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
    ({ scheme, port }) => overHttp({ scheme, port, ca }),
  ),
)

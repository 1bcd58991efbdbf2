import t from 'tap'
import { listenNode } from '../../workers/http/node.ts'
import { runApiSuiteOver } from './api-over.ts'
import { listening } from './transports.ts'

t.test('the API over node:http', (t) =>
  runApiSuiteOver(t, (handler) =>
    listening(
      listenNode({
        host: '127.0.0.1',
        port: 0,
        handler,
        onHandlerError: (error) => void t.fail(String(error)),
      }),
    ),
  ),
)

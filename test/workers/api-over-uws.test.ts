import t from 'tap'
import { listenUws } from '../../workers/http/uws.ts'
import { loadUws } from '../../workers/http/uws-library.ts'
import { runApiSuiteOver } from './api-over.ts'
import { listening } from './transports.ts'

const uws = loadUws()

if (uws.type === 'loaded') {
  t.test('the API over uWebSockets.js', (t) =>
    runApiSuiteOver(t, (handler) =>
      listening(
        listenUws({
          library: uws.library,
          host: '127.0.0.1',
          port: 0,
          handler,
          onHandlerError: (error) => void t.fail(String(error)),
        }),
      ),
    ),
  )
} else {
  t.match(uws.reason, /uWebSockets\.js (has no binary for Node|is not installed)/, 'says why it is not run')
}

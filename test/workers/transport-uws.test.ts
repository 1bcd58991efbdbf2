import { connect } from 'node:net'
import t from 'tap'
import { listenUws } from '../../workers/http/uws.ts'
import { loadUws } from '../../workers/http/uws-library.ts'
import { transportSuite } from './transport-suite.ts'
import { connected, listening } from './transports.ts'

const uws = loadUws()

if (uws.type === 'loaded') {
  transportSuite(t, {
    complete: false,
    listen: (handler) =>
      listening(
        listenUws({ library: uws.library, host: '127.0.0.1', port: 0, handler, onHandlerError: () => {} }),
      ),
    connect: (port) => connected(connect(port, '127.0.0.1')),
  })
} else {
  t.match(uws.reason, /uWebSockets\.js (has no binary for Node|is not installed)/, 'says why')
}

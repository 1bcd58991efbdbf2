import t from 'tap'
import { listenNode } from '../../workers/http/node.ts'
import { connectHttp2 } from './http2-socket.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { transportSuite } from './transport-suite.ts'
import { listening } from './transports.ts'

const { ca, tls } = await createTlsFixture()

transportSuite(t, {
  complete: false,
  framed: true,
  listen: (handler) =>
    listening(listenNode({ host: '127.0.0.1', port: 0, tls, handler, onHandlerError: () => {} })),
  connect: (port) => connectHttp2({ port, ca }),
})

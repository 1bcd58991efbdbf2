import t from 'tap'
import { runApiSuiteOver } from './api-over.ts'
import { serveNode } from './transports.ts'

t.test('the API over node:http', (t) => runApiSuiteOver(t, (handler) => serveNode(handler)))

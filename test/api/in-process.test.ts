/** The API suite without a transport, in both dialects. */

import t from 'tap'
import { createNames, dialectNames } from '../../src/names/names.ts'
import { startInProcess } from '../support/in-process-server.ts'
import { runApiSuite } from './suite.ts'

t.jobs = dialectNames.length

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}`, { buffered: true }, async (t) => {
    const server = await startInProcess({ dialect })
    t.teardown(() => server.close())
    await runApiSuite(t, server, createNames(dialect), 'suite')
  })
}

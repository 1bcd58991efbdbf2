import type { Test } from 'tap'
import { createNames } from '../../src/names/names.ts'
import type { Handler } from '../../src/pipeline/exchange.ts'
import type { Listener } from '../../workers/http/listener.ts'
import type { ServerUnderTest } from '../api/server-under-test.ts'
import { runApiSuite } from '../api/suite.ts'
import { startInProcess } from '../support/in-process-server.ts'
import { overHttp } from './http-server-under-test.ts'

/** The whole API suite over one transport. */
export async function runApiSuiteOver(
  t: Test,
  listen: (handler: Handler) => Promise<Listener>,
  connect: (listener: Listener) => ServerUnderTest & { close(): void } = overHttp,
): Promise<void> {
  const server = await startInProcess({ dialect: 'kubernetes' })
  const listener = await listen(server.api.handler)
  const client = connect(listener)
  t.teardown(async () => {
    client.close()
    const closed = listener.close()
    listener.destroy()
    await closed
    await server.close()
  })
  await runApiSuite(t, client, createNames('kubernetes'), 'suite')
}

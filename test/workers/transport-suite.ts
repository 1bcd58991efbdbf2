/** What every transport must do, whatever its library: each test talks to it byte by byte. */

import type { Handler } from '../../src/pipeline/exchange.ts'
import { RawClient } from './raw-client.ts'
import type { Fixture, Test, TransportUnderTest } from './transport-chapter.ts'
import { completeChapter } from './transport-complete.ts'
import { connectionChapter } from './transport-connections.ts'
import { requestChapter } from './transport-requests.ts'
import { streamChapter } from './transport-streams.ts'

export function transportSuite(t: Test, transport: TransportUnderTest): void {
  const chapter = {
    transport,
    serve: (t: Test, handler: Handler) => serve(t, transport, handler),
  }
  requestChapter(t, chapter)
  streamChapter(t, chapter)
  connectionChapter(t, chapter)
  if (transport.complete) completeChapter(t, chapter)
}

async function serve(t: Test, transport: TransportUnderTest, handler: Handler): Promise<Fixture> {
  const listener = await transport.listen(handler)
  const clients: RawClient[] = []
  t.teardown(async () => {
    for (const client of clients) client.socket.destroy()
    listener.destroy()
    await listener.close()
  })
  return {
    listener,
    async connect() {
      const client = new RawClient(await transport.connect(listener.port))
      clients.push(client)
      return client
    },
  }
}

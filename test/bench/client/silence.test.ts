/**
 * A server that accepts and never answers cannot hold the bench for ever.
 */

import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { Connection } from '../../../bench/client/connection.ts'
import { within } from '../../../bench/client/deadline.ts'
import { createEndpoint } from '../../../bench/client/endpoint.ts'
import { Load } from '../../../bench/client/load.ts'
import { buildRequest } from '../../../bench/client/request.ts'

t.test('what takes too long is given up, what is quick is not', async (t) => {
  await t.rejects(within(new Promise(() => {}), 'an answer', 10), {
    message: 'an answer: nothing after 10 ms',
  })
  t.equal(await within(Promise.resolve(7), 'an answer', 10_000), 7)
  await t.rejects(within(Promise.reject(new Error('refused')), 'x', 10_000), { message: 'refused' })
})

t.test('a connection lost under load is a fault, and ends the load', async (t) => {
  // Plaintext: reads a request, then hangs up.
  const server = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo // a TCP server that listens
  const endpoint = createEndpoint({ server: `http://127.0.0.1:${port}` })
  const request = buildRequest(endpoint, { method: 'GET', target: '/' })
  const load = await Load.open({ endpoint, connections: 2, next: () => request, judge: () => 'done' })
  load.wake()
  await load.idle()
  await load.stop()
  t.same(load.faults.list(), ['2 × connection lost: the server closed the connection'])
  t.equal(load.tally.operations, 0)

  const connection = await Connection.open(endpoint)
  connection.close()
  const failure = await new Promise((resolve) => connection.send(request, () => resolve('answered'), resolve))
  t.match(failure, { message: 'closed' }, 'a request on a closed connection fails')
})

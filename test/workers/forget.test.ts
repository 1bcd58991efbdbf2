/** What is let go of a connection that watches: nothing that Node still needs. */

import { once } from 'node:events'
import { Socket } from 'node:net'
import t from 'tap'
import { forgetClearedTimer } from '../../workers/http/forget.ts'

function timerOf(socket: Socket): unknown {
  const name = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'timeout')
  return name === undefined ? undefined : Reflect.get(socket, name)
}

t.test('a timer that was cleared is let go, and another can be set', async (t) => {
  const socket = new Socket()
  t.teardown(() => socket.destroy())
  socket.setTimeout(60_000)
  socket.setTimeout(0)
  forgetClearedTimer(socket)
  t.notOk(timerOf(socket))
  forgetClearedTimer(socket)
  socket.setTimeout(1)
  // Node's timers of sockets do not keep a process alive.
  const alive = setInterval(() => {}, 1000)
  await once(socket, 'timeout')
  clearInterval(alive)
})

t.test('a timer that runs stays', async (t) => {
  const socket = new Socket()
  t.teardown(() => socket.destroy())
  socket.setTimeout(60_000)
  const timer = timerOf(socket)
  forgetClearedTimer(socket)
  t.equal(timerOf(socket), timer)
  t.equal(socket.timeout, 60_000)
})

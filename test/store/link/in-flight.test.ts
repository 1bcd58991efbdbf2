import t from 'tap'
import { key, revision } from '../../../store/contract.ts'
import { InFlight } from '../../../store/link/in-flight.ts'

const read = { writes: false, bytes: 0 }
const write = { writes: true, bytes: 600 }

t.test('bounded in number and bytes; one request may exceed the bytes when it is alone', async (t) => {
  const inFlight = new InFlight({ countMax: 3, bytesMax: 1000 })
  t.equal(inFlight.refusal(5000), undefined)
  const first = inFlight.add(1, write)
  t.equal(inFlight.refusal(400), undefined)
  t.match(inFlight.refusal(401), {
    code: 'Unavailable',
    message: /^1 requests with 600 bytes are under way, the most allowed is 3 with 1000 bytes$/,
  })
  inFlight.add(2, read)
  inFlight.add(3, read)
  t.match(inFlight.refusal(0), { code: 'Unavailable' })
  inFlight.settle(1, { kind: 'done', id: 1, revision: 7 })
  t.same(await first, { answer: { kind: 'done', id: 1, revision: 7 }, entries: [] })
  t.equal(inFlight.refusal(5000), undefined, 'count and bytes are given back')
})

t.test('a range gathers its parts; what is not under way is passed over', async (t) => {
  const inFlight = new InFlight({ countMax: 3, bytesMax: 1000 })
  const entry = (name: string) => ({ key: key(name), value: Buffer.alloc(0), modRevision: revision(1) })
  const range = inFlight.add(1, read)
  inFlight.gather(1, [entry('a')])
  inFlight.gather(2, [entry('x')])
  inFlight.gather(1, [entry('b')])
  inFlight.settle(2, { kind: 'done', id: 2, revision: 1 })
  inFlight.settle(1, { kind: 'done', id: 1, revision: 1 })
  t.same(
    (await range).entries.map(({ key }) => key),
    ['a', 'b'],
  )
})

t.test('of a lost link only writes that may have been read have an unknown fate', async (t) => {
  for (const [sent, fates] of [
    [true, ['Unknown', 'Unavailable']],
    [false, ['Unavailable', 'Unavailable']],
  ] as const) {
    const inFlight = new InFlight({ countMax: 3, bytesMax: 1000 })
    const replies = [inFlight.add(1, write), inFlight.add(2, read)]
    inFlight.failAll('lost', sent)
    const answers = await Promise.all(replies)
    t.same(
      answers.map(({ answer }) => (answer.kind === 'failed' ? answer.failure.code : answer.kind)),
      fates,
    )
  }
})

import t from 'tap'
import { key, revision } from '../../../store/contract.ts'
import { InFlight } from '../../../store/link/in-flight.ts'

const read = { writes: false, bytes: 0 }
const write = { writes: true, bytes: 600 }

t.test('bounded in number and bytes; one request may exceed the bytes when it is alone', async (t) => {
  const inFlight = new InFlight({ countMax: 3, bytesMax: 1000 })
  t.equal(inFlight.refusal(5000), undefined)
  const id = inFlight.next
  const first = inFlight.add(write)
  t.equal(inFlight.refusal(400), undefined)
  t.match(inFlight.refusal(401), {
    code: 'Unavailable',
    message: /^1 requests with 600 bytes are under way, the most allowed is 3 with 1000 bytes$/,
  })
  inFlight.add(read)
  inFlight.add(read)
  t.match(inFlight.refusal(0), { code: 'Unavailable' })
  inFlight.settle(id, { kind: 'done', id, revision: 7 })
  t.same(await first, { answer: { kind: 'done', id, revision: 7 }, entries: [] })
  t.equal(inFlight.refusal(5000), undefined, 'count and bytes are given back')
})

t.test('a range gathers its parts; what is not under way is passed over', async (t) => {
  const inFlight = new InFlight({ countMax: 3, bytesMax: 1000 })
  const entry = (name: string) => ({ key: key(name), value: Buffer.alloc(0), modRevision: revision(1) })
  const id = inFlight.next
  const range = inFlight.add(read)
  inFlight.gather(id, [entry('a')])
  inFlight.gather(id + 1, [entry('x')])
  inFlight.gather(id, [entry('b')])
  inFlight.settle(id + 1, { kind: 'done', id: id + 1, revision: 1 })
  inFlight.settle(id, { kind: 'done', id, revision: 1 })
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
    const replies = [inFlight.add(write), inFlight.add(read)]
    inFlight.failAll('lost', sent)
    const answers = await Promise.all(replies)
    t.same(
      answers.map(({ answer }) => (answer.kind === 'failed' ? answer.failure.code : answer.kind)),
      fates,
    )
  }
})

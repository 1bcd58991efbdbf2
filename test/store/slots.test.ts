import t from 'tap'
import { Slots } from '../../store/slots.ts'

t.test('the place that is promised is the one that the value gets', (t) => {
  const slots = new Slots<{ name: string }>()
  const promised = [0, 1, 2].map((i) => {
    const next = slots.next
    slots.add({ name: `value ${i}` })
    return next
  })
  t.same(promised, [0, 1, 2])
  t.same(
    promised.map((slot) => slots.get(slot)?.name),
    ['value 0', 'value 1', 'value 2'],
  )
  t.end()
})

t.test('a place that was given up is given again, and no other is touched', (t) => {
  const slots = new Slots<{ name: string }>()
  for (const name of ['a', 'b', 'c']) slots.add({ name })
  t.equal(slots.take(1)?.name, 'b')
  t.equal(slots.take(1), undefined, 'nobody has it')
  t.equal(slots.get(1), undefined)
  t.equal(slots.size, 2)
  t.same(slots.slots(), [0, 2])
  t.equal(slots.next, 1)
  slots.add({ name: 'd' })
  t.same(
    slots.slots().map((slot) => slots.get(slot)?.name),
    ['a', 'd', 'c'],
  )
  t.equal(slots.take(7), undefined, 'a place that there never was')
  t.equal(slots.size, 3)
  t.end()
})

t.test('however many pass through, there are as many places as values at a time', (t) => {
  const slots = new Slots<{ at: number }>()
  const underWay: number[] = []
  for (let i = 0; i < 10_000; i++) {
    underWay.push(slots.next)
    slots.add({ at: i })
    const done = underWay.length === 32 ? underWay.shift() : undefined
    if (done !== undefined) slots.take(done)
  }
  t.equal(slots.size, 31)
  t.ok(Math.max(...slots.slots()) < 32)
  t.end()
})

import t from 'tap'
import { WireReader, WireWriter } from '../../../store/link/wire.ts'

/** The first field is one that the reader does not know. */
for (const [what, write] of [
  ['a number', (writer: WireWriter) => writer.uint(9, 2 ** 40)],
  ['no bytes', (writer: WireWriter) => writer.bytes(9, Buffer.alloc(0))],
  ['a few bytes', (writer: WireWriter) => writer.text(9, 'news')],
  ['many bytes', (writer: WireWriter) => writer.bytes(9, Buffer.alloc(300, 1))],
  [
    'a message',
    (writer: WireWriter) => {
      const start = writer.begin(9)
      writer.text(1, 'news')
      writer.end(start)
    },
  ],
] as const) {
  t.test(`a field of a newer release is passed over: ${what}`, (t) => {
    const writer = new WireWriter(16)
    write(writer)
    writer.uint(2, 7)
    const reader = new WireReader(writer.finish())
    t.equal(reader.field(), 9)
    reader.skip()
    t.equal(reader.field(), 2)
    t.equal(reader.uint(), 7)
    t.equal(reader.field(), 0)
    t.notOk(reader.broken)
    t.end()
  })
}

t.test('what does not fit breaks the reader, inside too', (t) => {
  const reader = new WireReader(Buffer.from([10, 4, 10, 9, 1, 1]))
  t.equal(reader.field(), 1)
  const inner = reader.message()
  t.equal(inner.field(), 1)
  t.equal(inner.bytes().length, 0)
  t.ok(reader.broken)
  t.equal(inner.field(), 0)
  t.equal(reader.field(), 0)
  t.end()
})

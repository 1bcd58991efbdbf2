/** Pieces of large answers: what is in them, how they are framed, and whose memory it is. */

import t from 'tap'
import { largePiece, PieceWriter, pieceBytesMax } from '../../../src/codec/pieces.ts'
import type { LentChunk, SharedChunk } from '../../../src/pipeline/exchange.ts'

function pieceOf(...texts: readonly string[]): LentChunk | SharedChunk {
  const writer = new PieceWriter()
  for (const text of texts) writer.add(Buffer.from(text))
  return writer.cut()
}

function lentPieceOf(letter: string): LentChunk {
  const piece = pieceOf(letter.repeat(pieceBytesMax))
  if (!('release' in piece)) throw new TypeError('a full piece is lent')
  return piece
}

t.test('a piece is what was added, and one chunk of HTTP/1.1', (t) => {
  const writer = new PieceWriter()
  t.ok(writer.isEmpty)
  writer.add(Buffer.from('[1'))
  writer.addByte(0x2c)
  writer.add(Buffer.from('2]'))
  t.notOk(writer.isEmpty)
  const piece = writer.cut()
  t.equal(piece.payload.toString(), '[1,2]')
  t.equal(piece.http1().toString(), '00000005\r\n[1,2]\r\n')
  t.ok(writer.isEmpty)
  writer.add(Buffer.from('next'))
  t.equal(writer.cut().payload.toString(), 'next')
  t.equal(piece.payload.toString(), '[1,2]')
  t.throws(() => writer.cut(), /empty piece/)
  t.end()
})

t.test('a piece takes no more than its bound; what is larger is a piece of its own', (t) => {
  const writer = new PieceWriter()
  t.ok(writer.fits(pieceBytesMax))
  t.notOk(writer.fits(pieceBytesMax + 1))
  writer.add(Buffer.alloc(pieceBytesMax - 1, 'x'))
  t.ok(writer.fits(1))
  t.notOk(writer.fits(2))
  const large = largePiece([Buffer.from(','), Buffer.alloc(pieceBytesMax + 7, 'y')])
  t.equal(large.payload.toString('latin1', 0, 3), ',yy')
  t.equal(large.http1().toString('latin1', 0, 10), '00020008\r\n')
  t.equal(large.http1().toString('latin1', large.http1().length - 3), 'y\r\n')
  t.end()
})

t.test('small pieces are not lent', (t) => {
  t.notOk('release' in pieceOf('small'))
  t.ok('release' in pieceOf('x'.repeat(pieceBytesMax)))
  t.end()
})

t.test('memory is written again after it was given back, and not before; once', (t) => {
  const first = lentPieceOf('a')
  const second = lentPieceOf('b')
  t.equal(first.payload.indexOf('b'), -1)
  first.release()
  const third = lentPieceOf('c')
  t.equal(third.payload.buffer, first.payload.buffer)
  first.release()
  const fourth = lentPieceOf('d')
  t.not(fourth.payload.buffer, first.payload.buffer)
  const pieces = { b: second, c: third, d: fourth }
  for (const [letter, { payload }] of Object.entries(pieces)) {
    t.equal(payload.toString(), letter.repeat(pieceBytesMax))
  }
  t.end()
})

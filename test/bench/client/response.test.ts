/**
 * The response parser: the same transcript however its bytes are cut.
 */

import t from 'tap'
import { headerOf, ResponseParser } from '../../../bench/client/response.ts'

function transcribe(text: string, cut: number, close = false): readonly string[] {
  const seen: string[] = []
  let body = ''
  const parser = new ResponseParser({
    head(status) {
      seen.push(`head ${status}`)
      body = ''
    },
    body(bytes, start, end) {
      body += bytes.toString('latin1', start, end)
    },
    end() {
      seen.push(`body ${body}`, 'end')
    },
  })
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += cut) parser.feed(bytes, at, Math.min(bytes.length, at + cut))
  if (close) seen.push(parser.finish() ? 'closed' : 'broken')
  return seen
}

const ok = 'HTTP/1.1 200 OK\r\n'

const transcripts: readonly {
  readonly what: string
  readonly bytes: string
  readonly seen: readonly string[]
  readonly close?: boolean
}[] = [
  {
    what: 'a body of a known length',
    bytes: `${ok}Content-Length: 5\r\n\r\nhello`,
    seen: ['head 200', 'body hello', 'end'],
  },
  {
    what: 'two answers in a row, the second empty',
    bytes: `${ok}content-length:2\r\n\r\nhiHTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n`,
    seen: ['head 200', 'body hi', 'end', 'head 404', 'body ', 'end'],
  },
  {
    what: 'chunks, with an extension and capital digits',
    bytes: `${ok}Transfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`,
    seen: ['head 200', 'body abc0123456789', 'end'],
  },
  {
    what: 'an answer after a chunked one',
    bytes: `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n${ok}content-length: 1\r\n\r\nb`,
    seen: ['head 200', 'body a', 'end', 'head 200', 'body b', 'end'],
  },
  {
    what: 'no content',
    bytes: 'HTTP/1.1 204 No Content\r\n\r\n',
    seen: ['head 204', 'body ', 'end'],
  },
  {
    what: 'an interim answer is passed over',
    bytes: `HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
    seen: ['head 200', 'body x', 'end'],
  },
  {
    what: 'a body that ends with the connection',
    bytes: `${ok}\r\nuntil the end`,
    seen: ['head 200', 'body until the end', 'end', 'closed'],
    close: true,
  },
  {
    what: 'a connection that ends within a body',
    bytes: `${ok}content-length: 9\r\n\r\nhalf`,
    seen: ['head 200', 'broken'],
    close: true,
  },
]

for (const { what, bytes, seen, close = false } of transcripts) {
  t.test(what, (t) => {
    for (const cut of [1, 2, 3, 7, 1000]) t.same(transcribe(bytes, cut, close), seen, `cut every ${cut}`)
    t.end()
  })
}

t.test('what is no HTTP/1.1 is refused', (t) => {
  t.throws(() => transcribe('HTTP/2 200\r\n\r\n', 100), { message: /^not an HTTP\/1.1 status line/ })
  t.throws(() => transcribe(`${ok}transfer-encoding: chunked\r\n\r\nxyz\r\n`, 100), {
    message: 'byte 120 in a chunk size',
  })
  t.throws(() => transcribe(`${ok}transfer-encoding: chunked\r\n\r\n1\r\nabc`, 100), {
    message: 'byte 98 where a chunk ends',
  })
  t.throws(() => transcribe('x'.repeat(70_000), 100_000), { message: /more than 65536 bytes/ })
  t.end()
})

t.test('headers are found by their whole name', (t) => {
  const head = 'http/1.1 200 ok\r\nx-length: 1\r\nlength:  2 \r\n'
  t.equal(headerOf(head, 'length'), '2')
  t.equal(headerOf(head, 'len'), undefined)
  t.end()
})

import t from 'tap'
import { parseDuration } from '../../../src/pipeline/duration.ts'
import { parseQuery } from '../../../src/pipeline/query.ts'

t.test('flags are true unless they are 0 or false', (t) => {
  for (const [text, expected] of [
    ['', undefined],
    ['watch', true],
    ['watch=', true],
    ['watch=1', true],
    ['watch=true', true],
    ['watch=yes', true],
    ['watch=0', false],
    ['watch=False', false],
    ['other=1', undefined],
  ] as const) {
    t.equal(parseQuery(text).flag('watch'), expected, text)
  }
  t.end()
})

t.test('numbers are whole or refused', (t) => {
  const { integer } = parseQuery('a=5&b=-1&c=1.5&d=x&e=&f=99999999999999999999')
  t.same(integer('a'), { ok: true, value: 5 })
  t.same(integer('b'), { ok: true, value: -1 })
  t.same(integer('e'), { ok: true, value: undefined })
  t.same(integer('none'), { ok: true, value: undefined })
  for (const name of ['c', 'd', 'f']) t.equal(integer(name).ok, false, name)
  t.end()
})

t.test('text is decoded, and broken escapes stay', (t) => {
  const query = parseQuery('a=x%3Dy+z&b=%zz&c=1&c=2')
  t.equal(query.text('a'), 'x=y z')
  t.equal(query.text('b'), '%zz')
  t.same(query.all('c'), ['1', '2'])
  t.end()
})

t.test('a query that has nothing to decode reads as one that has', (t) => {
  for (const text of ['a=1&b=2&a=3', 'a', 'a=', '=x', '&&a=1&', 'a=b=c', 'x&__proto__=1&a', '?a=1', 'a==']) {
    const query = parseQuery(text)
    const params = new URLSearchParams(text)
    for (const name of ['a', 'b', 'x', '', '__proto__', 'none']) {
      t.strictSame(query.all(name), params.getAll(name), `${name} of ${text}`)
      t.equal(query.text(name), params.get(name) ?? undefined)
    }
  }
  t.end()
})

t.test('durations', (t) => {
  for (const [text, expected] of [
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['0', 0],
    ['10', undefined],
    ['soon', undefined],
    ['-1s', undefined],
  ] as const) {
    t.equal(parseDuration(text), expected, text)
  }
  t.end()
})

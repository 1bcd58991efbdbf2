/** Which texts are of which format, as the formats that clients of this API know have it. */

import t from 'tap'
import { formatCheck, servedFormat } from '../../../../src/crd/schema/formats.ts'

interface Row {
  readonly yes: readonly string[]
  readonly no: readonly string[]
}

const rows: Readonly<Record<string, Row>> = {
  bsonobjectid: {
    yes: ['507f1f77bcf86cd799439011'],
    no: ['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g'],
  },
  uri: {
    yes: [
      'http://x.y/z?q#f',
      '/a/b',
      '//h/p',
      '/p?a=%zz',
      'mailto:x',
      '*',
      'user:pw@host',
      'http://user:pw@host/x',
      'http://[::1]:80/',
      'http://[::1%25en0]/',
      'http://h:80:80/',
      'http://é.x/',
      'h+t-p.://x',
    ],
    no: [
      '',
      'a/b',
      '%zz',
      '/%zz',
      'http://a b/',
      'http://a:b/',
      'http://[::1',
      'http://%41/',
      '1http://x',
      'a\n',
    ],
  },
  email: {
    yes: ['a@b.c', 'A B <a@b.c>', '"q q"@x.y', '<a@b>', 'a@b (c)', 'é@b.c', '"a\\"b"@c', "a'b@c", 'a@ b'],
    no: ['', 'a', 'a@', 'a..b@c', 'a@b.', '.a@b', 'a b@c.d', 'a@b,c@d', 'a@[1.2.3.4]'],
  },
  hostname: {
    yes: ['a', '1', 'example.com', 'a-', '☺.com', 'ü', `${'a'.repeat(63)}.com`],
    no: ['', '-a.b', 'a_b', 'a..b', 'a.b', '1.2', 'foo.', `${'a'.repeat(64)}.com`, 'a.'.repeat(130)],
  },
  ipv4: { yes: ['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4'], no: ['', '10.0.0', '10.0.0.256', '::1'] },
  ipv6: { yes: ['::1', '::ffff:1.2.3.4', 'fe80::'], no: ['', '10.0.0.1', '::1%eth0', ':::', '1::2::3'] },
  cidr: {
    yes: ['10.0.0.0/8', 'fe80::/10', '::/0', '1.2.3.4/32'],
    no: ['', '10.0.0.1', '10.0.0.1/33', '1.2.3.4/'],
  },
  mac: {
    yes: ['00:00:5e:00:53:01', '00-00-5e-00-53-01', '0000.5e00.5301', '01:23:45:67:89:ab:cd:ef'],
    no: ['', '01-23:45-67-89-ab', '01:23:45:67:89:ab:cd', '01:23:45:67:89:ag'],
  },
  uuid: {
    yes: ['550e8400-e29b-41d4-a716-446655440000', '550E8400E29B51D4A716446655440000'],
    no: ['', '550e8400-e29b-41d4-a716-44665544000', 'g50e8400-e29b-41d4-a716-446655440000'],
  },
  uuid3: { yes: ['550e8400-e29b-31d4-a716-446655440000'], no: ['550e8400-e29b-41d4-a716-446655440000'] },
  uuid4: { yes: ['550e8400-e29b-41d4-a716-446655440000'], no: ['550e8400-e29b-41d4-c716-446655440000'] },
  uuid5: { yes: ['550e8400-e29b-51d4-a716-446655440000'], no: ['550e8400-e29b-41d4-a716-446655440000'] },
  isbn: { yes: ['0321751043', '978-0321751041'], no: ['', '0321751044', '9780321751040'] },
  isbn10: { yes: ['0321751043', '080442957X', '0-8044-2957-X'], no: ['080442957x', '978-0321751041'] },
  isbn13: { yes: ['978-0321751041', '978 0321751041'], no: ['9780321751040', '0321751043'] },
  creditcard: { yes: ['4111111111111111', '4111 1111 1111 1111'], no: ['', '4111 1111 1111 1112', '1'] },
  ssn: { yes: ['123-45-6789', '123 45 6789'], no: ['', '123456789', '123-45-678'] },
  hexcolor: { yes: ['#fff', 'FFF', '#00ff00'], no: ['', '#ffff', '#ggg'] },
  rgbcolor: { yes: ['rgb(1,2,3)', 'rgb( 1 , 2,3 )'], no: ['', 'rgb(1,2,300)', 'rgb(01,2,3)', 'rgb(1,2)'] },
  byte: { yes: ['YWJj', 'YWI=', 'YQ=='], no: ['', 'YW', 'YWJj\n', 'YW-_'] },
  password: { yes: ['', 'anything'], no: [] },
  date: { yes: ['2020-01-01', '2000-02-29', '0000-01-01'], no: ['', '2020-02-30', '1900-02-29', '2020-1-1'] },
  'date-time': {
    yes: ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00.5+01:00', '2020-01-01T23:59:59z'],
    no: ['', '2020-01-01', '2020-01-01T24:00:00Z', '2020-01-01T23:59:60Z', '2020-01-01T10:00:00'],
  },
  datetime: { yes: ['2020-01-01T00:00:00Z'], no: ['2020-02-30T00:00:00Z'] },
  duration: {
    yes: ['1h', '1h30m', '1.5h', '-1s', '0', '3 days', '22 ns', '5 microseconds', '2 weeks', '1µs', 'x3d'],
    no: ['', '1', 'day', '5 lightyears', '99999999999999999999 ns'],
  },
}

for (const [format, { yes, no }] of Object.entries(rows)) {
  t.test(format, (t) => {
    const check = formatCheck(format)
    t.equal(servedFormat(format), format)
    t.same(
      yes.filter((text) => check?.(text) !== true),
      [],
    )
    t.same(
      no.filter((text) => check?.(text) !== false),
      [],
    )
    t.end()
  })
}

t.test('other formats are a note for people', (t) => {
  for (const format of ['int32', 'int64', 'float', 'double', 'binary', 'colour', ''])
    t.equal(servedFormat(format), undefined)
  t.end()
})

t.test('no text takes long', (t) => {
  const long = ['a', 'a.', 'a-', '1', '1h', '"', '(', '/', '=?', 'a@', ' '].map((part) =>
    part.repeat(100_000),
  )
  for (const format of Object.keys(rows)) for (const text of long) formatCheck(format)?.(text)
  t.pass('all of them are judged')
  t.end()
})

import t from 'tap'
import {
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  roundUpToMilli,
} from '../../../src/schema/quantity.ts'

t.test('a quantity is written in one way', (t) => {
  const table: [given: string, canonical: string][] = [
    ['0', '0'],
    ['0.0', '0'],
    ['-0', '0'],
    ['0Gi', '0'],
    ['1', '1'],
    ['+1', '1'],
    ['01', '1'],
    ['1.', '1'],
    ['.5', '500m'],
    ['-.5', '-500m'],
    ['1.5', '1500m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1000k', '1M'],
    ['1000000', '1M'],
    ['0.5k', '500'],
    ['12.3456789', '12345678900n'],
    ['1u', '1u'],
    ['1000n', '1u'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['1.5Gi', '1536Mi'],
    ['1025Mi', '1025Mi'],
    ['1024', '1024'],
    ['0.5Ki', '512'],
    ['0.001Ki', '1024m'],
    ['1.5Ki', '1536'],
    ['-2048Ki', '-2Mi'],
    ['2e3', '2e3'],
    ['2E3', '2e3'],
    ['15e2', '1500'],
    ['1e1', '10'],
    ['1e-3', '1e-3'],
    ['1500e-3', '1500e-3'],
    ['100E', '100E'],
    ['1E', '1E'],
    ['1Ei', '1Ei'],
    ['16Ei', '9223372036854775807'],
    ['9999999999999999999', '9223372036854775807'],
  ]
  for (const [given, canonical] of table) t.equal(canonicalQuantity(given), canonical, given)
  for (const [, canonical] of table) t.equal(canonicalQuantity(canonical), canonical, `${canonical} stays`)
  t.end()
})

t.test('what is no quantity', (t) => {
  const wrong = [
    '',
    ' ',
    '.',
    '+',
    '1 ',
    ' 1',
    '1ki',
    '1KI',
    '1K',
    '1mi',
    'Gi',
    '1GiB',
    '1e',
    '1e1.5',
    '--1',
    '1,5',
    '0x10',
    'NaN',
    '1_0',
    '1e99999',
    '9'.repeat(2000),
  ]
  for (const text of wrong) t.equal(canonicalQuantity(text), undefined, JSON.stringify(text))
  t.end()
})

t.test('comparison is exact', (t) => {
  const ascending = [
    '-1Gi',
    '-1',
    '-1m',
    '0',
    '1n',
    '999u',
    '1m',
    '0.1',
    '100001u',
    '1',
    '1k',
    '1Ki',
    '1025',
    '1e4',
    '1M',
    '1Mi',
    '1G',
    '1Gi',
    '1E',
    '1Ei',
  ]
  const values = ascending.map((text) => parseQuantity(text))
  for (const [i, a] of values.entries()) {
    for (const [j, b] of values.entries()) {
      if (a === undefined || b === undefined) throw new Error('not a quantity')
      t.equal(Math.sign(compareQuantities(a, b)), Math.sign(i - j), `${ascending[i]} and ${ascending[j]}`)
    }
  }
  t.end()
})

t.test('amounts of resources are rounded up to milli units', (t) => {
  for (const [given, rounded] of [
    ['1u', '1m'],
    ['1001u', '2m'],
    ['-1u', '-1m'],
    ['0.1m', '1m'],
    ['1', '1'],
    ['1n', '1m'],
  ] as const) {
    const quantity = parseQuantity(given)
    t.equal(quantity && formatQuantity(roundUpToMilli(quantity)), rounded, given)
  }
  t.end()
})

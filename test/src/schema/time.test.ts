import t from 'tap'
import { canonicalMicroTime, canonicalTime } from '../../../src/schema/time.ts'

t.test('times become UTC', (t) => {
  const table: [given: string, seconds: string | undefined, micros: string | undefined][] = [
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z', undefined],
    ['2024-01-02T03:04:05.678901Z', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.678901Z'],
    ['2024-01-02T03:04:05.6789019Z', '2024-01-02T03:04:05Z', undefined],
    ['2024-01-01T00:30:00.000000+01:00', '2023-12-31T23:30:00Z', '2023-12-31T23:30:00.000000Z'],
    ['2024-02-28T23:30:00.123456-01:00', '2024-02-29T00:30:00Z', '2024-02-29T00:30:00.123456Z'],
    ['2023-02-29T00:00:00Z', undefined, undefined],
    ['2024-13-01T00:00:00Z', undefined, undefined],
    ['2024-01-01T24:00:00Z', undefined, undefined],
    ['2024-01-01T00:60:00Z', undefined, undefined],
    ['2024-01-01', undefined, undefined],
    ['2024-01-01T00:00:00', undefined, undefined],
    ['2024-01-01 00:00:00Z', undefined, undefined],
    ['2024-01-01T00:00:00+01:60', undefined, undefined],
    ['0000-01-01T00:00:00+01:00', undefined, undefined],
    ['yesterday', undefined, undefined],
    ['', undefined, undefined],
  ]
  for (const [given, seconds, micros] of table) {
    t.equal(canonicalTime(given), seconds, given)
    t.equal(canonicalMicroTime(given), micros, given)
  }
  t.end()
})

/** The words of tables: spans of time, selectors, lists that are cut. Source: "Table representation". */

import t from 'tap'
import {
  accessModesText,
  firstOf,
  loadBalancerAddresses,
  plusMore,
} from '../../../../src/types/columns/common.ts'
import { age, humanDuration } from '../../../../src/types/columns/duration.ts'
import { bareSelectorText, labelsText, selectorText } from '../../../../src/types/columns/labels.ts'

const second = 1
const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

t.test('spans of time at each boundary', (t) => {
  for (const [seconds, expected] of [
    [-2, '<invalid>'],
    [-1.999, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [0.999, '0s'],
    [2 * minute - second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + second, '2m1s'],
    [10 * minute - second, '9m59s'],
    [10 * minute, '10m'],
    [10 * minute + second, '10m'],
    [3 * hour - second, '179m'],
    [3 * hour, '3h'],
    [3 * hour + minute - second, '3h'],
    [3 * hour + minute, '3h1m'],
    [8 * hour - second, '7h59m'],
    [8 * hour, '8h'],
    [2 * day - second, '47h'],
    [2 * day, '2d'],
    [2 * day + hour, '2d1h'],
    [8 * day - second, '7d23h'],
    [8 * day, '8d'],
    [2 * year - second, '729d'],
    [2 * year, '2y'],
    [2 * year + day, '2y1d'],
    [8 * year - second, '7y364d'],
    [8 * year, '8y'],
    [100 * year, '100y'],
  ] as const) {
    t.equal(humanDuration(seconds * 1000), expected, `${seconds} s`)
  }
  t.end()
})

t.test('ages', (t) => {
  const nowMs = Date.parse('2024-01-01T00:01:00Z')
  for (const [then, expected] of [
    ['2024-01-01T00:00:00Z', '60s'],
    ['2024-01-01T00:00:59.500000Z', '0s'],
    ['2024-01-01T00:02:00Z', '<invalid>'],
    [null, '<unknown>'],
    [undefined, '<unknown>'],
  ] as const) {
    t.equal(age(then, nowMs), expected, String(then))
  }
  t.end()
})

t.test('labels and selectors', (t) => {
  t.equal(labelsText({ b: '2', a: '1' }), 'a=1,b=2')
  t.equal(labelsText({}), '<none>')
  t.equal(labelsText(undefined), '<none>')
  t.equal(labelsText(JSON.parse('{"__proto__":"x","a":""}')), '__proto__=x,a=')
  for (const [selector, text, bare] of [
    [undefined, '<none>', ''],
    [null, '<none>', ''],
    [{}, '<none>', ''],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2', 'a=1,b=2'],
    [
      {
        matchLabels: { z: '' },
        matchExpressions: [
          { key: 'x', operator: 'In', values: ['c', 'b'] },
          { key: 'example.com/w', operator: 'NotIn', values: ['a'] },
          { key: 'v', operator: 'Exists' },
          { key: 'u', operator: 'DoesNotExist', values: [] },
        ],
      },
      'example.com/w notin (a),!u,v,x in (b,c),z=',
      'example.com/w notin (a),!u,v,x in (b,c),z=',
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, '<error>', '<invalid>'],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }, '<error>', '<invalid>'],
    [{ matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] }, '<error>', '<invalid>'],
    [{ matchLabels: { 'not a key': '' } }, '<error>', '<invalid>'],
    [{ matchLabels: { a: 'not a value' } }, '<error>', '<invalid>'],
  ] as const) {
    const shown = JSON.stringify(selector)
    t.equal(selectorText(selector), text, shown)
    t.equal(bareSelectorText(selector), bare, shown)
  }
  t.end()
})

t.test('lists that are cut', (t) => {
  t.equal(plusMore([], 3), '<unset>')
  t.equal(plusMore(['a', 'b', 'c'], 3), 'a,b,c')
  t.equal(plusMore(['a', 'b', 'c', 'd', 'e'], 3), 'a,b,c + 2 more...')
  t.equal(firstOf(['a', 'b'], 2, 5, ', '), 'a, b + 3 more...')
  t.end()
})

t.test('access modes: each once, in an order of their own', (t) => {
  t.equal(accessModesText([]), '')
  t.equal(
    accessModesText(['ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOnce', 'ReadWriteOnce']),
    'RWO,ROX,RWX,RWOP',
  )
  t.equal(accessModesText(['Telepathic']), '')
  t.end()
})

t.test('addresses of a load balancer: a set, the address before the name', (t) => {
  t.same(loadBalancerAddresses({}), [])
  t.same(
    loadBalancerAddresses({
      loadBalancer: {
        ingress: [
          { hostname: 'x.example' },
          { ip: '9.9.9.9', hostname: 'y' },
          { ip: '10.0.0.1' },
          { ip: '9.9.9.9' },
          {},
        ],
      },
    }),
    ['10.0.0.1', '9.9.9.9', 'x.example'],
  )
  t.end()
})

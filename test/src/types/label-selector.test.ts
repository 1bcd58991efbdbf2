import t from 'tap'
import { selectorMatches } from '../../../src/types/label-selector.ts'

const labels = { app: 'web', tier: 'front' }
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
})

t.test('a selector matches when all it asks for holds', (t) => {
  for (const [selector, matches] of [
    [undefined, false],
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [{ matchLabels: { toString: 'x' } }, false],
    [expression('app', 'In', 'api', 'web'), true],
    [expression('app', 'In', 'api'), false],
    [expression('zone', 'In', 'a'), false],
    [expression('app', 'NotIn', 'web'), false],
    [expression('zone', 'NotIn', 'a'), true],
    [expression('app', 'Exists'), true],
    [expression('toString', 'Exists'), false],
    [expression('app', 'DoesNotExist'), false],
    [expression('zone', 'DoesNotExist'), true],
    [expression('app', 'Nonsense'), false],
    [{ matchLabels: { app: 'web' }, ...expression('tier', 'Exists') }, true],
  ] as const) {
    t.equal(selectorMatches(selector, labels), matches, JSON.stringify(selector))
  }
  t.end()
})

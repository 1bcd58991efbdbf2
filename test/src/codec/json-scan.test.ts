import t from 'tap'
import { describeJsonError, nestingDepth } from '../../../src/codec/json-scan.ts'
import { createRandom } from '../../support/random.ts'

t.test('says where a text breaks and what was expected there', (t) => {
  for (const [text, expected] of [
    ['', 'unexpected end at byte 0 (line 1, column 1), expected a value'],
    ['{"a":}', 'unexpected "}" at byte 5 (line 1, column 6), expected a value'],
    ['{"a":1,}', 'unexpected "}" at byte 7 (line 1, column 8), expected a member name'],
    ['{a:1}', 'unexpected "a" at byte 1 (line 1, column 2), expected a member name or "}"'],
    ['{"a" 1}', 'unexpected "1" at byte 5 (line 1, column 6), expected ":"'],
    ['[1,2', 'unexpected end at byte 4 (line 1, column 5), expected "," or "]"'],
    ['[01]', 'unexpected "1" at byte 2 (line 1, column 3), expected "," or "]"'],
    ['[1]x', 'unexpected "x" at byte 3 (line 1, column 4), expected the end of the text'],
    ['"a\\x"', 'unexpected "\\\\" at byte 2 (line 1, column 3), expected a valid escape'],
    ['"open', 'unexpected end at byte 5 (line 1, column 6), expected the rest of a string'],
    ['{"é":\n nope}', 'unexpected "n" at byte 8 (line 2, column 2), expected a value'],
  ] as const) {
    t.equal(describeJsonError(Buffer.from(text)), expected, JSON.stringify(text))
  }
  t.end()
})

t.test('agrees with the engine on what is JSON', (t) => {
  const seed = 20_261_121
  const random = createRandom(seed)
  const alphabet = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    '.5',
    'e3',
    'true',
    'null',
    ' ',
    '"\\n"',
    '"',
  ]
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + random.below(7) }, () => random.pick(alphabet)).join('')
    let valid = true
    try {
      JSON.parse(text)
    } catch {
      valid = false
    }
    const found = describeJsonError(Buffer.from(text)) === 'not a JSON text'
    if (found !== valid) t.fail(`${JSON.stringify(text)} (seed ${seed})`)
  }
  t.pass(`3000 texts of seed ${seed}`)
  t.end()
})

t.test('counts nesting outside strings, and stops above the limit', (t) => {
  for (const [text, limit, depth] of [
    ['1', 9, 0],
    ['{"a":[{}]}', 9, 3],
    ['["[[[[", "\\"[["]', 9, 1],
    ['['.repeat(1_000_000), 10, 11],
  ] as const) {
    t.equal(nestingDepth(Buffer.from(text), limit), depth, text.slice(0, 20))
  }
  t.end()
})

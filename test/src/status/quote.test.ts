/** How texts stand in messages. */

import t from 'tap'
import { isPrintable, quote } from '../../../src/status/quote.ts'

const quoted: readonly (readonly [text: string, quoted: string])[] = [
  ['', '""'],
  ['plain é 世', '"plain é 世"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\n\t\u0007\v', '"\\n\\t\\a\\v"'],
  ['\u0001\u007f', '"\\x01\\x7f"'],
  ['\u00a0\u200b', '"\\u00a0\\u200b"'],
  ['\u{e0001}', '"\\U000e0001"'],
]

for (const [text, expected] of quoted) {
  t.test(`${expected}`, (t) => {
    t.equal(quote(text), expected)
    t.equal(
      isPrintable('a') &&
        [...text].every((one) => isPrintable(one) === (quote(one) === `"${one}"` || '"\\'.includes(one))),
      true,
    )
    t.end()
  })
}

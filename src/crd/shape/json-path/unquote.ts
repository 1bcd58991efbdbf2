/** Texts in quotes, with the escapes of Go: paths were made for its readers. */

const simple: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
])

const escapeSequence = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))|(\\$)/gsu

/** Undefined = an escape that does not exist. */
export function unquote(quoted: string): string | undefined {
  const quote = quoted[0]
  let valid = true
  const text = quoted.slice(1, -1).replace(escapeSequence, (_, ...groups: (string | undefined)[]) => {
    const [byte, short, long, octal, letter] = groups
    const hex = byte ?? short ?? long
    const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16)
    if (!Number.isNaN(code) && code <= 0x10ffff) return String.fromCodePoint(code)
    const plain = letter === quote ? quote : simple.get(letter ?? '')
    if (plain === undefined) valid = false
    return plain ?? ''
  })
  return valid ? text : undefined
}

/** Names of properties as expressions spell them. Specification: "Expression language", escapes. */

const keywords: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
)

const sequences: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

/** `a-b` → `a__dash__b`, `in` → `__in__`; undefined = no expression can name it. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[-./]/g, (sequence) => sequences.get(sequence) ?? sequence)
}

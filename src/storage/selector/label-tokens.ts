/** Words and signs of a label selector. */

export type TokenType =
  | 'identifier'
  | 'in'
  | 'notin'
  | ')'
  | '('
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | 'end'
  | 'error'

export interface Token {
  readonly type: TokenType
  readonly text: string
}

const signs: readonly TokenType[] = ['==', '!=', '=', '!', '(', ')', ',', '>', '<']
const signCharacters = '=!(),><'
const spaces = ' \t\r\n'

/** The tokens of a selector; the last one is `end`. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (spaces.includes(character)) {
      at++
      continue
    }
    const token = signCharacters.includes(character) ? signAt(text, at) : wordAt(text, at)
    tokens.push(token)
    at += token.text.length
  }
  tokens.push({ type: 'end', text: '' })
  return tokens
}

function signAt(text: string, at: number): Token {
  for (const sign of signs) {
    if (text.startsWith(sign, at)) return { type: sign, text: sign }
  }
  return { type: 'error', text: text.charAt(at) }
}

function wordAt(text: string, at: number): Token {
  let end = at
  while (
    end < text.length &&
    !signCharacters.includes(text.charAt(end)) &&
    !spaces.includes(text.charAt(end))
  )
    end++
  const word = text.slice(at, end)
  return { type: word === 'in' || word === 'notin' ? word : 'identifier', text: word }
}

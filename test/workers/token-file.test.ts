import t from 'tap'
import { parseTokenFile } from '../../workers/flags/token-file.ts'

t.test('lines become users', (t) => {
  const text = [
    '\uFEFFtoken-1,jane,uid-1',
    '',
    'token-2,"doe, john",uid-2,"developers,testers"',
    'token-3,"the ""boss""",,masters,others',
    'token-4,x,4,""',
  ].join('\r\n')
  const parsed = parseTokenFile('tokens.csv', text)
  t.strictSame(parsed, {
    ok: true,
    value: [
      { token: 'token-1', user: { name: 'jane', uid: 'uid-1', groups: [] } },
      { token: 'token-2', user: { name: 'doe, john', uid: 'uid-2', groups: ['developers', 'testers'] } },
      { token: 'token-3', user: { name: 'the "boss"', uid: '', groups: ['masters', 'others'] } },
      { token: 'token-4', user: { name: 'x', uid: '4', groups: [] } },
    ],
  })
  t.end()
})

t.test('problems name file and line', (t) => {
  const rows: readonly [string, string][] = [
    ['a,b', 't:1: must have at least 3 columns (token, user name, user uid), found 2'],
    ['a,b,c\n,b,c', 't:2: the token is empty'],
    ['a,,c', 't:1: the user name is empty'],
    ['a b,c,d', 't:1: the token holds a character that a header cannot carry'],
    ['a,b,c\n\na,d,e', 't:3: the token stands in an earlier line too'],
    ['a,"b,c', 't:1: a quoted column is not closed, or text follows its closing quote'],
    ['a,"b"c,d', 't:1: a quoted column is not closed, or text follows its closing quote'],
  ]
  for (const [text, message] of rows) {
    t.strictSame(parseTokenFile('t', text), { ok: false, failure: { code: 'BadTokenFile', message } }, text)
  }
  t.end()
})

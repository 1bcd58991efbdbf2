import t from 'tap'
import type { CachedObject } from '../../../src/storage/contract.ts'
import { parseFieldSelector } from '../../../src/storage/selector/field-selector.ts'
import { parseLabelSelector } from '../../../src/storage/selector/label-selector.ts'
import { compileSelector, narrow, selectorId } from '../../../src/storage/selector/selector.ts'
import { key, revision } from '../../../store/contract.ts'
import { failure, select, value } from './harness.ts'

const parsed: readonly (readonly [
  text: string,
  ...requirements: (readonly [string, string, ...string[]])[],
])[] = [
  [''],
  ['  '],
  ['app', ['app', 'exists']],
  ['!app', ['app', 'doesNotExist']],
  ['! app ,b', ['app', 'doesNotExist'], ['b', 'exists']],
  ['a=b', ['a', 'in', 'b']],
  ['a==b', ['a', 'in', 'b']],
  ['a!=b', ['a', 'notIn', 'b']],
  ['a=', ['a', 'in', '']],
  ['a=,b', ['a', 'in', ''], ['b', 'exists']],
  ['x in (b,a,b)', ['x', 'in', 'a', 'b']],
  ['x notin (a)', ['x', 'notIn', 'a']],
  ['x in ()', ['x', 'in', '']],
  ['x in (,a)', ['x', 'in', '', 'a']],
  ['x in (a,)', ['x', 'in', '', 'a']],
  ['x>1', ['x', 'greaterThan', '1']],
  ['example.com/role=db,tier in (a, b)', ['example.com/role', 'in', 'db'], ['tier', 'in', 'a', 'b']],
  ['in in (in,notin)', ['in', 'in', 'in', 'notin']],
  ['notin', ['notin', 'exists']],
  ['a=in', ['a', 'in', 'in']],
]

for (const [text, ...requirements] of parsed) {
  t.test(`label selector ${JSON.stringify(text)} is understood`, async (t) => {
    const found = value(parseLabelSelector(text))
    t.strictSame(
      found.map(({ name, operator, values }) => [name, operator, ...values]),
      requirements,
    )
  })
}

const refused: readonly (readonly [text: string, message: string | RegExp])[] = [
  ['=', "found '=', expected: !, identifier, or 'end of string'"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['!a in (b)', "found 'in', expected: ',' or 'end of string'"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['a=(', "unable to parse requirement: found '(', expected: identifier"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  [
    'x>a',
    `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    '-a',
    /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters/,
  ],
  [
    'a/b/c',
    /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a qualified name must consist of/,
  ],
  ['/a', /prefix part must be non-empty/],
  ['UPPER.com/a', /prefix part a lowercase RFC 1123 subdomain must consist of/],
  [`${'a'.repeat(64)}`, /name part must be no more than 63 characters/],
  [
    'a=-b',
    /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be an empty string/,
  ],
  [`a=${'b'.repeat(64)}`, /must be no more than 63 characters/],
]

for (const [text, message] of refused) {
  t.test(`label selector ${JSON.stringify(text.slice(0, 20))} is refused`, async (t) => {
    t.match(failure(parseLabelSelector(text)), { reason: 'BadRequest', message })
  })
}

const fields: readonly (readonly [text: string, ...requirements: (readonly [string, string, string])[]])[] = [
  [''],
  ['metadata.name=a', ['metadata.name', 'in', 'a']],
  ['metadata.name==a,spec.x!=b', ['metadata.name', 'in', 'a'], ['spec.x', 'notIn', 'b']],
  ['a=', ['a', 'in', '']],
  [',a=b,', ['a', 'in', 'b']],
  ['a=x\\,y', ['a', 'in', 'x,y']],
  ['a=x\\=y', ['a', 'in', 'x=y']],
  ['a=x\\\\', ['a', 'in', 'x\\']],
  ['a!=\\,,b=c', ['a', 'notIn', ','], ['b', 'in', 'c']],
]

for (const [text, ...requirements] of fields) {
  t.test(`field selector ${JSON.stringify(text)} is understood`, async (t) => {
    const found = value(parseFieldSelector(text))
    t.strictSame(
      found.map(({ name, operator, values }) => [name, operator, ...values]),
      requirements,
    )
  })
}

t.test('field selectors that cannot be read are refused', async (t) => {
  t.match(failure(parseFieldSelector('a=b,c')), {
    reason: 'BadRequest',
    message: "invalid selector: 'a=b,c'; can't understand 'c'",
  })
  t.match(failure(parseFieldSelector('a=b\\c')), {
    message: 'invalid field selector: invalid escape sequence: \\c',
  })
  t.match(failure(parseFieldSelector('a=b=c')), {
    message: 'invalid field selector: unescaped character in value: 61',
  })
})

function labelled(labels: Record<string, string>, fieldValues: Record<string, string> = {}): CachedObject {
  return {
    key: key('p/ns/one'),
    namespace: 'ns',
    name: 'one',
    revision: revision(1),
    json: Buffer.alloc(0),
    labels: () => new Map(Object.entries(labels)),
    field: (name) => fieldValues[name] ?? '',
  }
}

const matches: readonly (readonly [selector: string, labels: Record<string, string>, matches: boolean])[] = [
  ['', {}, true],
  ['a', { a: '' }, true],
  ['a', {}, false],
  ['!a', {}, true],
  ['!a', { a: '' }, false],
  ['a=b', { a: 'b' }, true],
  ['a=b', { a: 'c' }, false],
  ['a=', { a: '' }, true],
  ['a=', {}, false],
  ['a!=b', { a: 'b' }, false],
  ['a!=b', {}, true],
  ['a in (b,c)', { a: 'c' }, true],
  ['a in (b,c)', {}, false],
  ['a notin (b,c)', { a: 'c' }, false],
  ['a notin (b,c)', {}, true],
  ['a>5', { a: '6' }, true],
  ['a>5', { a: '5' }, false],
  ['a>5', { a: 'many' }, false],
  ['a>5', {}, false],
  ['a<5', { a: '-9223372036854775808' }, true],
  ['a<5', { a: '-9223372036854775809' }, false],
  ['a,b=c', { a: '', b: 'c' }, true],
  ['a,b=c', { a: '', b: 'd' }, false],
]

for (const [selector, labels, wanted] of matches) {
  t.test(
    `${JSON.stringify(selector)} ${wanted ? 'selects' : 'does not select'} ${JSON.stringify(labels)}`,
    async (t) => {
      const matcher = compileSelector(select(selector))
      t.equal(matcher === undefined || matcher(labelled(labels)), wanted)
    },
  )
}

t.test('a field without a value has the empty one', async (t) => {
  const object = labelled({}, { 'spec.nodeName': 'n' })
  const selects = (text: string) => compileSelector(select('', text))?.(object)
  t.equal(selects('spec.nodeName=n'), true)
  t.equal(selects('spec.nodeName!=n'), false)
  t.equal(selects('spec.other='), true)
  t.equal(selects('spec.other!=x'), true)
})

t.test('equal selectors share an id, others do not', async (t) => {
  t.equal(selectorId(select('a=b,c')), selectorId(select('c,a==b')))
  t.equal(selectorId(select('x in (a,b)')), selectorId(select('x in (b,a)')))
  t.equal(selectorId(select('')), '')
  const different = ['a', '!a', 'a=b', 'a!=b', 'a in (b,c)', 'a>1', 'a<1'].map((text) =>
    selectorId(select(text)),
  )
  t.equal(new Set([...different, selectorId(select('', 'a=b'))]).size, 8)
})

t.test('name and namespace in a field selector are a place', async (t) => {
  t.match(narrow({}, select('', 'metadata.name=x,metadata.namespace=n')), {
    scope: { name: 'x', namespace: 'n' },
    selector: { fields: [] },
  })
  t.match(narrow({ namespace: 'a' }, select('', 'metadata.namespace=b')), {
    scope: { namespace: 'a' },
    selector: { fields: [{ name: 'metadata.namespace', values: ['b'] }] },
  })
  t.match(narrow({ name: 'x' }, select('', 'metadata.name!=x')), {
    selector: { fields: [{ operator: 'notIn' }] },
  })
})

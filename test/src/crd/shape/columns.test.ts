/** What columns of custom resources show: paths of the client's dialect, and cells of each type of column. */

import t from 'tap'
import { printedColumns } from '../../../../src/crd/shape/columns.ts'
import { parseJsonPath } from '../../../../src/crd/shape/json-path/parse.ts'
import type { JsonValue } from '../../../../src/json.ts'
import type { ApiObject } from '../../../../src/types/object.ts'

const nowMs = Date.parse('2030-01-01T00:00:00Z')
const conditions = [
  { type: 'Ready', status: 'True', n: 1, f: 1.5, b: false },
  { type: 'Other', status: 'False', n: 2, f: 2.5, b: true },
]
const object: ApiObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w',
    creationTimestamp: '2029-12-31T23:00:00Z',
    labels: { 'x.y/z': 'label' },
  },
  spec: {
    text: 'hello',
    int: 5,
    float: 2.75,
    small: 0.00001,
    large: 1e21,
    bool: true,
    null: null,
    object: { b: 1, a: '<x>' },
    list: ['x', 'y', 'z'],
    empty: [],
    conditions,
    'a.b': 'dotted',
    a: { b: 'nested' },
    deep: { deep: 'down' },
    numbers: [1, 2, 3],
    old: '2020-01-01T00:00:00.5+02:00',
    future: '2031-01-01T00:00:00Z',
    none: '',
    proto: JSON.parse('{"__proto__":"own"}'),
  },
}

function cell(type: string, jsonPath: string): JsonValue | undefined {
  const columns = printedColumns({ additionalPrinterColumns: [{ name: 'C', type, jsonPath }] })
  return columns.cells(object, nowMs)[1]
}

const paths: readonly [jsonPath: string, text: string | null][] = [
  ['.spec.text', 'hello'],
  ['.spec.int', '5'],
  ['.spec.float', '2.75'],
  ['.spec.small', '1e-05'],
  ['.spec.large', '1e+21'],
  ['.spec.bool', 'true'],
  ['.spec.null', '<no value>'],
  ['.spec.object', '{"a":"\\u003cx\\u003e","b":1}'],
  ['.spec.list', '["x","y","z"]'],
  ['.spec.absent', null],
  ['.spec.absent.more', null],
  ['.spec.text.more', null],
  ['.spec.list[0]', 'x'],
  ['.spec.list[-1]', 'z'],
  ['.spec.list[-3]', 'x'],
  ['.spec.list[-4]', null],
  ['.spec.list[3]', null],
  ['.spec.list[*]', 'x'],
  ['.spec.list[1:]', 'y'],
  ['.spec.list[:-1]', 'x'],
  ['.spec.list[2:1]', null],
  ['.spec.list[-1,0]', 'z'],
  ['.spec.list[::2]', 'x'],
  ['.spec.list[::0]', null],
  ['.spec.empty[*]', null],
  ['.spec.empty[0]', null],
  ['.spec.object[0]', null],
  ['.spec.conditions[?(@.type=="Ready")].status', 'True'],
  [".spec.conditions[?(@.type=='Other')].status", 'False'],
  ['.spec.conditions[?(@.type == "Other")].status', 'False'],
  ['.spec.conditions[?(@.type=="Re)dy")].status', null],
  ['.spec.conditions[?(@.type!="Ready")].type', 'Other'],
  ['.spec.conditions[?(@.type>"P")].type', 'Ready'],
  ['.spec.conditions[?(@.n>1)].type', 'Other'],
  ['.spec.conditions[?(@.n>=1)].type', 'Ready'],
  // Whole numbers and others are not compared.
  ['.spec.conditions[?(@.n>1.5)].type', null],
  ['.spec.conditions[?(@.f>1.75)].type', 'Other'],
  ['.spec.conditions[?(@.b==true)].type', 'Other'],
  ['.spec.conditions[?(@.b>true)].type', null],
  ['.spec.conditions[?(@.n)].type', 'Ready'],
  ['.spec.conditions[?(@.absent)].type', null],
  ['.spec.numbers[?(@==2)]', '2'],
  ['.spec.object[?(@.a)]', null],
  ['.spec.conditions[*].type', 'Ready'],
  ['.spec.conditions[0]', '{"b":false,"f":1.5,"n":1,"status":"True","type":"Ready"}'],
  [".spec['text']", 'hello'],
  [".spec['a.b']", 'nested'],
  [".spec['a\\.b']", 'dotted'],
  ['.spec.a\\.b', 'dotted'],
  ['.metadata.labels.x\\.y/z', 'label'],
  ['.spec.deep.*', 'down'],
  ['.spec.deep..deep', 'down'],
  ['..status', 'True'],
  ['.spec.text..', 'hello'],
  // The parts of a text are its bytes.
  ['.spec.text.*', '104'],
  ['.spec.proto.__proto__', 'own'],
  ['.spec.__proto__', null],
  ['.metadata.name', 'w'],
  ['.apiVersion', 'example.com/v1'],
  ['.spec.text range', null],
  ['$.spec.text', 'hello'],
]

t.test('paths', (t) => {
  for (const [jsonPath, expected] of paths) t.equal(cell('string', jsonPath), expected, jsonPath)
  t.end()
})

const cells: readonly [type: string, jsonPath: string, cell: JsonValue][] = [
  ['integer', '.spec.int', 5],
  ['integer', '.spec.float', 2],
  ['integer', '.spec.text', null],
  ['integer', '.spec.null', null],
  ['number', '.spec.int', 5],
  ['number', '.spec.float', 2.75],
  ['number', '.spec.text', null],
  ['boolean', '.spec.bool', true],
  ['boolean', '.spec.text', null],
  ['date', '.metadata.creationTimestamp', '60m'],
  ['date', '.spec.old', '10y'],
  ['date', '.spec.future', '<invalid>'],
  ['date', '.spec.text', '<invalid>'],
  ['date', '.spec.none', '<unknown>'],
  ['date', '.spec.int', null],
  ['date', '.spec.absent', null],
]

t.test('cells', (t) => {
  for (const [type, jsonPath, expected] of cells)
    t.equal(cell(type, jsonPath), expected, `${type} ${jsonPath}`)
  t.end()
})

t.test('definitions', (t) => {
  const { definitions } = printedColumns({
    additionalPrinterColumns: [
      { name: 'Size', type: 'integer', format: 'int32', priority: 1, jsonPath: '.spec.int' },
      { name: 'Text', type: 'string', description: 'What it says.', jsonPath: '.spec.text' },
    ],
  })
  const [name, ...own] = definitions
  t.match(name, { name: 'Name', type: 'string', format: 'name', priority: 0 })
  t.same(own, [
    {
      name: 'Size',
      type: 'integer',
      format: 'int32',
      description: 'Custom resource definition column (in JSONPath format): .spec.int',
      priority: 1,
    },
    { name: 'Text', type: 'string', format: '', description: 'What it says.', priority: 0 },
  ])
  const bare = printedColumns({})
  t.match(bare.definitions, [{ name: 'Name' }, { name: 'Age', type: 'date' }])
  t.same(bare.cells(object, nowMs), ['w', '60m'])
  const broken = printedColumns({
    additionalPrinterColumns: [
      { name: 'A', type: 'string', jsonPath: '.spec.text' },
      { name: 'B', type: 'string', jsonPath: '.spec[' },
      { name: 'C', type: 'string', jsonPath: '.spec.int' },
    ],
  })
  t.same(broken.cells(object, nowMs), ['w', 'hello'], 'a path that cannot be read ends the columns')
  t.end()
})

const unreadable: readonly [path: string, problem: string][] = [
  ['.spec[0', 'unterminated array'],
  ['.spec[a]', 'invalid array index a'],
  ['.spec["a"]', 'invalid array index "a"'],
  ['.spec[-]', 'invalid array index -'],
  ['.spec[?(@.a', 'unterminated filter'],
  ['.spec[?(@.a)', 'unclosed array expect ]'],
  ['.spec....a', 'invalid multiple recursive descent'],
  ['.spec %', "unrecognized character in action: U+0025 '%'"],
  ['.spec\t', 'unrecognized character in action: U+0009'],
  ['.spec "a', 'unterminated quoted string'],
  ['.spec "\\q"', 'unquote string "\\q" error invalid syntax'],
  ['.a\n', 'unclosed action'],
  ['.a 1.2.3', 'cannot parse number 1.2.3'],
]

t.test('paths that cannot be read', (t) => {
  for (const [path, problem] of unreadable) t.same(parseJsonPath(path), { ok: false, failure: problem }, path)
  t.end()
})

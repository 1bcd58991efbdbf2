/** What the build step says of sources that are wrong. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { compileSources } from '../../../src/schema/source.ts'
import { root } from '../../house/sources.ts'

const options = readFileSync(join(root, 'src/types/options.proto'), 'utf8')

const meta = 'syntax = "proto3";\npackage meta.v1;\nmessage ObjectMeta {}\nmessage ListMeta {}\n'

function compile(body: string, packageId = 'zoo/v1') {
  const text = `syntax = "proto3";\npackage zoo.v1;\noption (group) = "zoo.{groups}";\n${body}\n`
  return compileSources({
    options,
    packages: new Map([
      ['meta/v1', meta],
      [packageId, text],
    ]),
  })
}

t.test('problems name the file and the field', (t) => {
  const table: [body: string, problem: string | RegExp][] = [
    ['message A { Lion lion = 1; }', 'zoo/v1.proto: A.lion: unknown type zoo/v1.Lion'],
    ['message A { meta.v1.Lion lion = 1; }', 'zoo/v1.proto: A.lion: unknown type meta/v1.Lion'],
    ['message A {\n string a = 1;\n string b = 1;\n}', /^zoo\/v1\.proto: duplicate id 1 in Type A/],
    ['message A {\n string a = ;\n}', /^zoo\/v1\.proto: illegal id ';' \(line 5\)/],
    ['message A { string a = 1 [(colour) = "red"]; }', 'zoo/v1.proto: A.a: unknown option (colour)'],
    ['message A { option (colour) = "red"; }', 'zoo/v1.proto: A: unknown option (colour)'],
    [
      'message B { string x = 1; } message A { repeated B b = 1 [(key) = "name"]; }',
      "zoo/v1.proto: A.b: zoo/v1.B has no field name to be the list's key",
    ],
    [
      'message A { string a = 1 [(key) = "name"]; }',
      'zoo/v1.proto: A.a: key and listType are for repeated fields',
    ],
    ['message A { map<int32, string> a = 1; }', 'zoo/v1.proto: A.a: map keys must be string, not int32'],
    ['message A { int32 a = 1 [(default) = "x"]; }', 'zoo/v1.proto: A.a: default "x" is not a number'],
    ["message A { repeated string a = 1 [(default) = '[x']; }", 'zoo/v1.proto: A.a: default is not JSON: [x'],
    [
      'message A { repeated string a = 1 [(patch) = "mix"]; }',
      'zoo/v1.proto: A.a: unknown patch strategy mix',
    ],
    ['message A { string a = 1 [(inline) = true]; }', 'zoo/v1.proto: A.a: only a message can be inline'],
    ['message A { option (jsonForm) = "sphere"; }', 'zoo/v1.proto: A: unknown jsonForm "sphere"'],
    ['message A { option (resource) = { namespaced: true }; }', 'zoo/v1.proto: A: a resource needs a plural'],
    [
      'message A { option (resource) = { plural: "as" storedAs: "core.v1.A" }; }',
      'resource as: unknown message core/v1.A',
    ],
    ['enum E { X = 0; }', 'zoo/v1.proto: E: only messages are expected here'],
  ]
  for (const [body, problem] of table) {
    const compiled = compile(body)
    const problems = compiled.ok ? [] : compiled.failure
    const found = problems.some((one) => (typeof problem === 'string' ? one === problem : problem.test(one)))
    t.ok(found, `${body} → ${problems.join('; ')}`)
  }
  t.end()
})

t.test('a package must be where it says', (t) => {
  const compiled = compile('', 'zoo/v2')
  t.match(compiled, { ok: false, failure: ['zoo/v2.proto: package is zoo.v1, the place says zoo.v2'] })
  t.end()
})

t.test('what is not said has a meaning', (t) => {
  const compiled = compile(`
    message Item { string name = 1; }
    message Animal {
      option (resource) = { plural: "animals" namespaced: true status: true };
      string plain = 1;
      optional string pointer = 2;
      string needed = 3 [(required) = true];
      repeated Item items = 4 [(key) = "name"];
      repeated string tags = 5;
      map<string, Quantity> amounts = 6;
    }`)
  if (!compiled.ok) throw new Error(compiled.failure.join('\n'))
  const messages = compiled.value.packages.get('zoo/v1')
  const [omitEmpty, pointer, required] = [2, 4, 1]
  t.strictSame(messages?.['Animal'], {
    root: true,
    fields: [
      ['plain', 1, 'string', omitEmpty],
      ['pointer', 2, 'string', omitEmpty | pointer],
      ['needed', 3, 'string', required],
      [
        'items',
        4,
        '[]zoo/v1.Item',
        omitEmpty,
        { listType: 'map', listMapKeys: ['name'], patchStrategy: ['merge'], patchMergeKey: 'name' },
      ],
      ['tags', 5, '[]string', omitEmpty, { listType: 'atomic' }],
      ['amounts', 6, '{}quantity', omitEmpty],
    ],
  })
  t.ok(messages?.['AnimalList'], 'the list of a resource is made')
  t.match(compiled.value.index.resources, [
    { message: 'zoo/v1.Animal', plural: 'animals', verbs: { length: 8 } },
  ])
  t.end()
})

t.test('comments before a message and before its fields become descriptions', (t) => {
  const compiled = compile(`
// Big cats
// that live in groups.
message Lion {
  option (root) = true;

  // How it is called.
  string name = 1 [
    (required) = true
  ];
  string cry = 2; string mane = 3;
  // What it has caught,
  // latest first.
  repeated string preyList = 4 [json_name = "prey-list"];
}

message Zebra { string name = 1; }`)
  t.same(compiled.ok ? compiled.value.descriptions : compiled.failure, {
    'zoo/v1.Lion': {
      '': 'Big cats that live in groups.',
      name: 'How it is called.',
      'prey-list': 'What it has caught, latest first.',
    },
  })
  t.end()
})

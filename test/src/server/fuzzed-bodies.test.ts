/**
 * Whatever a body says, the answer is not a fault of the server: objects of every type, bent at random, sent by every
 * verb that takes one. A failure prints its seed and request.
 */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { validCore } from '../types/valid-core.ts'
import { validGroups } from '../types/valid-groups.ts'
import { typeOfBody } from '../types/validation.ts'

type Value = null | boolean | number | string | Value[] | { [name: string]: Value }
type Members = { [name: string]: Value }

const odd: readonly Value[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  'x'.repeat(300),
  '\u0000',
  '💥',
  '-1',
  '1e1000',
  '9999999999999999999Ei',
  '2026-99-99T99:99:99Z',
  '../..',
  '%',
  '*',
  '[',
  '(?<',
  '10.0.0.0/99',
  '::ffff:1.2.3.4',
  [],
  [null],
  [[]],
  {},
  { a: null },
  { $patch: 'delete' },
  { $patch: 'replace', name: 'x' },
  { matchLabels: { '': '' } },
]
const names = ['__proto__', 'constructor', '$patch', '$retainKeys', '$setElementOrder/containers', '']

function isMembers(value: Value): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy with a few places replaced, dropped, doubled or added. */
function bent(value: Value, random: Random, one: number): Value {
  if (random.below(one) === 0) return random.pick(odd)
  if (Array.isArray(value)) {
    const items = value.map((item) => bent(item, random, one))
    if (random.below(one) === 0 && items.length > 0) items.push(random.pick(items))
    return items
  }
  if (!isMembers(value)) return value
  const members = Object.entries(value)
    .filter(() => random.below(one) > 0)
    .map(([name, part]): [string, Value] => [name, bent(part, random, one)])
  if (random.below(one) === 0) members.push([random.pick(names), random.pick(odd)])
  return Object.fromEntries(members)
}

/** What JSON Patch operations are made of. */
function operations(object: Value, random: Random): Value {
  const places = [
    '/metadata/labels',
    '/spec',
    '/spec/template',
    '/data',
    '/metadata/finalizers/0',
    '/x/~2',
    '',
    'x',
    '/-',
  ]
  return Array.from({ length: 1 + random.below(3) }, () => ({
    op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'odd']),
    path: random.pick(places),
    from: random.pick(places),
    value: isMembers(object) ? (object['spec'] ?? random.pick(odd)) : random.pick(odd),
  }))
}

const seed = 20_261_121

t.test(`no body gives a 5xx (seed ${seed})`, async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const random = createRandom(seed)
  const codes = new Map<number, number>()
  let sent = 0

  async function send(
    method: string,
    target: string,
    body: string,
    type = 'application/json',
  ): Promise<void> {
    const { status, body: answer } = await server.request({
      method,
      target,
      headers: { 'content-type': type },
      body,
    })
    codes.set(status, (codes.get(status) ?? 0) + 1)
    sent++
    if (status < 500) return
    t.fail(
      `${method} ${target} (${type}) → ${status} ${answer.toString('utf8').slice(0, 300)}\n${body.slice(0, 2000)}`,
    )
  }

  for (const valid of [...validCore, ...validGroups]) {
    const object: Members = valid
    const { group, version, plural, namespaced, subresources } = typeOfBody(object)
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const collection = `${base}/${namespaced ? 'namespaces/default/' : ''}${plural}`
    const metadata: Members = {
      ...(isMembers(object['metadata'] ?? null) ? (object['metadata'] as Members) : {}),
      name: 'fuzzed',
    }
    const named: Members = { ...object, metadata }
    await send('POST', collection, JSON.stringify(named))
    for (let round = 0; round < 6; round++) {
      const one = random.pick([8, 30, 100])
      const body = JSON.stringify(bent(named, random, one))
      const item = `${collection}/fuzzed`
      await send('POST', `${collection}?dryRun=All`, body)
      await send('PUT', item, body)
      await send('PATCH', item, body, 'application/merge-patch+json')
      await send('PATCH', item, body, 'application/strategic-merge-patch+json')
      await send(
        'PATCH',
        item,
        JSON.stringify(bent(operations(named, random), random, 20)),
        'application/json-patch+json',
      )
      await send(
        'PATCH',
        `${item}?fieldManager=f&force=${random.below(2) === 0}`,
        body,
        'application/apply-patch+yaml',
      )
      for (const { name, verbs } of subresources.values()) {
        if (verbs.has('update')) await send('PUT', `${item}/${name}`, body)
        if (verbs.has('patch')) await send('PATCH', `${item}/${name}`, body, 'application/merge-patch+json')
        if (verbs.has('create')) await send('POST', `${item}/${name}`, body)
      }
      await send(
        'DELETE',
        `${item}?dryRun=All`,
        JSON.stringify(bent({ kind: 'DeleteOptions', preconditions: { uid: 'x' } }, random, 5)),
      )
    }
  }
  t.ok(
    codes.has(200) && codes.has(201) && codes.has(400) && codes.has(422),
    `${sent} sent: ${JSON.stringify([...codes])}`,
  )
})

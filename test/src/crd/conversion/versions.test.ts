/** Versions of a definition: which schema counts where, and who is asked. */

import t from 'tap'
import { type Converter, sameFields } from '../../../../src/crd/conversion/converter.ts'
import { createVersionConversion } from '../../../../src/crd/conversion/versions.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import type { VersionConversion } from '../../../../src/types/resource.ts'
import { ok } from '../../../../store/contract.ts'

/** Drops `not<version>`. */
const schema = (version: string) => ({
  normalize: ({ apiVersion, ...rest }: ApiObject): ApiObject => ({ apiVersion, ...rest }),
  prune(object: ApiObject) {
    delete object[`not${version}`]
  },
})
const schemas = new Map(['v1', 'v2', 'v3'].map((version) => [`g/${version}`, schema(version)]))

function conversion(version: string, converter: Converter = sameFields): VersionConversion {
  return createVersionConversion(`g/${version}`, { schemas, storedApiVersion: 'g/v2', converter })
}

const object = (version: string, more: Record<string, true> = {}): ApiObject => ({
  apiVersion: `g/${version}`,
  kind: 'Thing',
  metadata: { name: 'one' },
  ...more,
})

t.test('what is read is pruned as it is shown', async (t) => {
  const stored = { notv1: true, notv2: true, notv3: true } as const
  t.same(await conversion('v3').read([object('v1', stored), object('v3', stored)]), {
    ok: true,
    value: [object('v3', { notv1: true, notv2: true }), object('v3', stored)],
  })
})

t.test('what is written is pruned as it is stored', async (t) => {
  const given = object('v1', { notv1: true, notv2: true })
  t.same(await conversion('v1').write(given), { ok: true, value: [object('v2', { notv1: true })] })
  t.same(given, object('v1', { notv1: true, notv2: true }), 'the object itself is as it was')
})

t.test('versions that there are not', async (t) => {
  t.same(await conversion('v1').read([object('v9')]), {
    ok: false,
    failure: 'request to convert CR from an invalid group/version: g/v9',
  })
  t.same(await conversion('v1').shown([object('v1')], 'g/v9'), {
    ok: false,
    failure: 'request to convert CR to an invalid group/version: g/v9',
  })
})

t.test('only objects of other versions are converted, and each comes back to its place', async (t) => {
  const asked: string[][] = []
  const converter: Converter = {
    asksOthers: true,
    async convert(objects, apiVersion) {
      asked.push(objects.map(({ metadata }) => metadata.name ?? ''))
      return ok(objects.map(({ apiVersion: _, ...rest }) => ({ ...rest, apiVersion })))
    },
  }
  const named = (version: string, name: string) => ({ ...object(version), metadata: { name } })
  const read = await conversion('v2', converter).read([
    named('v1', 'a'),
    named('v2', 'b'),
    named('v3', 'c'),
    named('v2', 'd'),
  ])
  t.same(read.ok && read.value.map(({ apiVersion, metadata }) => `${apiVersion} ${metadata.name}`), [
    'g/v2 a',
    'g/v2 b',
    'g/v2 c',
    'g/v2 d',
  ])
  t.same(asked, [['a', 'c']])
  t.match(read.ok && JSON.stringify(read.value[0]), /^{"apiVersion":/)
  const none = conversion('v2', converter).read([named('v2', 'e')])
  t.notOk(none instanceof Promise, 'nobody is asked, nothing is waited for')
  t.equal(asked.length, 1)
})

/** Whose defaults an object has that is stored in one version and read in another. */

import t from 'tap'
import type { JsonObject } from '../../../../src/json.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { clientOf, cronTabs, establish } from '../serving/crontabs.ts'
import { group } from './conversion-scene.ts'

const text = { type: 'string' }

/** A version with a field of its own, which has a default. */
function version(name: string, own: string, storage: boolean): JsonObject {
  const spec = { type: 'object', properties: { note: text, [own]: { ...text, default: own } } }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return { name, served: true, storage, schema: { openAPIV3Schema } }
}

t.test('those of the version that is stored, as far as the version that is read knows them', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  const versions = [version('v1', 'one', true), version('v2', 'two', false)]
  await establish(client, cronTabs({ versions }))
  const path = (of: string) => `/apis/${group}/${of}/namespaces/default/crontabs`
  const specs = async (name: string) => [
    (await client.get(`${path('v1')}/${name}`)).body.spec,
    (await client.get(`${path('v2')}/${name}`)).body.spec,
  ]
  const cronTab = (of: string, name: string) => ({
    apiVersion: `${group}/${of}`,
    kind: 'CronTab',
    metadata: { name },
    spec: { note: 'x' },
  })
  t.same((await client.post(path('v1'), cronTab('v1', 'a'))).body.spec, { note: 'x', one: 'one' })
  t.same(await specs('a'), [{ note: 'x', one: 'one' }, { note: 'x' }])
  const other = await client.post(path('v2'), cronTab('v2', 'b'))
  t.same(other.body.spec, { note: 'x' }, 'what the stored version does not know is lost')
  t.same(await specs('b'), [{ note: 'x', one: 'one' }, { note: 'x' }])
  const again = await startInProcess({ store: server.store })
  t.teardown(() => again.api.close())
  const read = await clientOf(again).get(`${path('v1')}/b`)
  t.same(read.body.spec, { note: 'x', one: 'one' }, 'wherever it is read')
})

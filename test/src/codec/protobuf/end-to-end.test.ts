/** The server spoken to in protobuf, by a client that has its own reader and writer of it. */

import t from 'tap'
import type { JsonObject } from '../../../../src/json.ts'
import { createNames, dialectNames } from '../../../../src/names/names.ts'
import type { TestAnswer } from '../../../api/server-under-test.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { pack, unpack, unpackList, watchFrames } from './client.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const configMap = 'core/v1.ConfigMap'

function mapOf(name: string, data: JsonObject = { k: 'v' }): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
}

function json(answer: TestAnswer): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(answer.body.toString('utf8'))
  return value
}

/** protobufjs leaves out what is false or empty. */
function withoutZeros(value: unknown): object {
  const kept: object = JSON.parse(
    JSON.stringify(value, (_name, one) => (one === false || one === '' ? undefined : one)),
  )
  return kept
}

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}`, async (t) => {
    const names = createNames(dialect)
    const server = await startInProcess({ dialect })
    t.teardown(() => server.close())
    const type = names.protobufMediaType
    const send = (method: string, target: string, body?: Buffer, headers: Record<string, string> = {}) =>
      server.request({
        method,
        target,
        headers: { accept: type, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
        ...(body === undefined ? {} : { body }),
      })

    await t.test('create, get, update, delete', async (t) => {
      const created = await send('POST', maps, pack(configMap, mapOf('a')))
      t.equal(created.status, 201)
      t.equal(created.headers['content-type'], type)
      const object = unpack(configMap, created.body)
      t.match(object, { ...mapOf('a'), metadata: { name: 'a', namespace: 'default', uid: /-/ } })

      const got = await send('GET', `${maps}/a`)
      t.same(unpack(configMap, got.body), object, 'what is got is what was created')
      const plain = await send('GET', `${maps}/a`, undefined, { accept: 'application/json' })
      t.match(json(plain), { ...mapOf('a'), metadata: { uid: (object['metadata'] as JsonObject)['uid'] } })

      const changed = { ...object, data: { k: 'w' } } as unknown as JsonObject
      const updated = await send('PUT', `${maps}/a`, pack(configMap, changed))
      t.equal(updated.status, 200)
      t.match(unpack(configMap, updated.body), { data: { k: 'w' } })
      t.equal(
        (await send('PUT', `${maps}/a`, pack(configMap, changed))).status,
        409,
        'its version is old now',
      )

      const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'x' } }
      const refused = await send('DELETE', `${maps}/a`, pack('meta/v1.DeleteOptions', options))
      t.match(unpack(configMap, refused.body), { kind: 'Status', reason: 'Conflict', code: 409 })
      const deleted = await send('DELETE', `${maps}/a`)
      t.match(unpack(configMap, deleted.body), {
        apiVersion: 'v1',
        kind: 'Status',
        status: 'Success',
        details: { name: 'a', kind: 'configmaps' },
      })
    })

    await t.test('a patch is never protobuf, but its answer is', async (t) => {
      await send('POST', maps, pack(configMap, mapOf('patched')))
      const target = `${maps}/patched`
      t.equal((await send('PATCH', target, pack(configMap, mapOf('patched')))).status, 415)
      const merge = { 'content-type': 'application/merge-patch+json' }
      const patched = await send('PATCH', target, Buffer.from('{"data":{"k":null,"l":"x"}}'), merge)
      t.strictSame(unpack(configMap, patched.body)['data'], { l: 'x' })
    })

    await t.test('what a body must be', async (t) => {
      const refusals: readonly (readonly [string, Buffer, RegExp])[] = [
        ['no document', Buffer.from('{}'), /do not start as a protobuf document does/],
        [
          'another version',
          pack(configMap, { ...mapOf('x'), apiVersion: 'v2' }),
          /does not match the expected API version/,
        ],
        [
          'another kind',
          pack(configMap, { ...mapOf('x'), kind: 'Secret' }),
          /Secret in version "v1" cannot be handled/,
        ],
        ['cut off', pack(configMap, mapOf('x')).subarray(0, -3), /bytes are announced/],
      ]
      for (const [what, body, message] of refusals) {
        const answer = await send('POST', maps, body)
        t.equal(answer.status, 400, what)
        t.equal(answer.headers['content-type'], type)
        t.match(unpack(configMap, answer.body), { kind: 'Status', reason: 'BadRequest', message })
      }
      const strange = await send('POST', maps, pack(configMap, mapOf('x')), { 'content-type': 'text/plain' })
      t.equal(strange.status, 415)
      t.match(unpack(configMap, strange.body), {
        message: new RegExp(`accepted media types include: .*${type}`),
      })
    })

    await t.test('which form an answer has', async (t) => {
      await send('POST', maps, pack(configMap, mapOf('form')))
      const meta = `g=${names.metaGroup};v=v1`
      const rows: readonly (readonly [string, string, string | undefined])[] = [
        [type, type, 'ConfigMap'],
        [`${type}, application/json`, type, 'ConfigMap'],
        [`application/json, ${type}`, 'application/json', undefined],
        [`${type};q=0.5, application/json`, 'application/json', undefined],
        [`application/x-unknown, ${type};q=0.1`, type, 'ConfigMap'],
        [`${type};as=Table;${meta}, application/json`, 'application/json', undefined],
        [`${type};as=PartialObjectMetadata;${meta}`, type, 'PartialObjectMetadata'],
      ]
      for (const [accept, contentType, kind] of rows) {
        const answer = await send('GET', `${maps}/form`, undefined, { accept })
        t.equal(answer.headers['content-type'], contentType, accept)
        if (kind !== undefined) t.equal(unpack('meta/v1.PartialObjectMetadata', answer.body).kind, kind)
      }
      const table = await send('GET', `${maps}/form`, undefined, { accept: `${type};as=Table;${meta}` })
      t.equal(table.status, 406)
      t.match(json(table), { reason: 'NotAcceptable', message: new RegExp(type) }, 'told in JSON')
      const missing = await send('GET', `${maps}/nobody`)
      t.match(unpack(configMap, missing.body), { kind: 'Status', reason: 'NotFound', code: 404 })
    })

    await t.test('lists, in pages, and of metadata alone', async (t) => {
      const target = '/api/v1/namespaces/default/secrets'
      const secret = 'core/v1.Secret'
      for (const name of ['a', 'b', 'c']) {
        const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { k: 'AP8=' } }
        await send('POST', target, pack(secret, object))
      }
      const first = unpackList(secret, (await send('GET', `${target}?limit=2`)).body)
      t.match(first, {
        apiVersion: 'v1',
        kind: 'SecretList',
        metadata: { resourceVersion: /\d+/, continue: /./, remainingItemCount: 1 },
        items: [{ metadata: { name: 'a' }, data: { k: 'AP8=' } }, { metadata: { name: 'b' } }],
      })
      const { continue: token } = first['metadata'] as { continue: string }
      const rest = await send('GET', `${target}?limit=2&continue=${encodeURIComponent(token)}`)
      t.match(unpackList(secret, rest.body).items, [{ metadata: { name: 'c' } }])

      const partial = `${type};as=PartialObjectMetadataList;g=${names.metaGroup};v=`
      const alone = await send('GET', target, undefined, { accept: `${partial}v1` })
      const list = unpackList('meta/v1.PartialObjectMetadata', alone.body)
      t.equal(list.kind, 'PartialObjectMetadataList')
      t.equal(list.apiVersion, `${names.metaGroup}/v1`)
      t.same(
        list.items.map(({ metadata }) => (metadata as JsonObject)['name']),
        ['a', 'b', 'c'],
      )
      const beta = await send('GET', target, undefined, { accept: `${partial}v1beta1` })
      const betaList = unpack('meta/v1beta1.PartialObjectMetadataList', beta.body)
      t.equal((betaList['items'] as unknown[]).length, 3, 'the other version has other field numbers')
      t.match(betaList['metadata'], { resourceVersion: /\d+/ })
    })

    await t.test('every resource that is stored can be listed', async (t) => {
      const groups = json(await send('GET', '/apis', undefined, { accept: 'application/json' }))
      const named = (groups['groups'] as { versions: { groupVersion: string }[] }[]).flatMap(({ versions }) =>
        versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
      )
      for (const root of ['/api/v1', ...named]) {
        const found = json(await send('GET', root, undefined, { accept: 'application/json' }))
        const resources = found['resources'] as { name: string; kind: string; verbs: string[] }[]
        for (const { name, kind } of resources.filter(({ verbs }) => verbs.includes('watch'))) {
          const answer = await send('GET', `${root}/${name}`)
          t.equal(answer.status, 200, `${root}/${name}`)
          t.equal(unpackList('meta/v1.PartialObjectMetadata', answer.body).kind, `${kind}List`)
        }
      }
    })

    await t.test('discovery', async (t) => {
      const documents = [
        ['/api', 'meta/v1.APIVersions'],
        ['/apis', 'meta/v1.APIGroupList'],
        ['/apis/apps', 'meta/v1.APIGroup'],
        ['/api/v1', 'meta/v1.APIResourceList'],
      ] as const
      for (const [target, message] of documents) {
        const answer = await send('GET', target)
        t.equal(answer.headers['content-type'], type, target)
        const plain = json(await send('GET', target, undefined, { accept: 'application/json' }))
        t.match(unpack(message, answer.body), withoutZeros(plain))
      }
      const parameters = `g=apidiscovery.${names.groupDomain};v=v2;as=APIGroupDiscoveryList`
      const all = await send('GET', '/apis', undefined, { accept: `${type};${parameters}` })
      t.equal(all.headers['content-type'], `${type};${parameters}`)
      const plain = await send('GET', '/apis', undefined, { accept: `application/json;${parameters}` })
      t.equal(all.headers['etag'], plain.headers['etag'])
      const groupsOf = (list: unknown) =>
        (list as { metadata: JsonObject }[]).map(({ metadata }) => metadata['name'])
      const list = unpack('apidiscovery/v2.APIGroupDiscoveryList', all.body)
      t.strictSame(groupsOf(list['items']), groupsOf(json(plain)['items']))
    })

    await t.test('a version that is not the stored one, and a subresource of another kind', async (t) => {
      const scalers = 'namespaces/default/horizontalpodautoscalers'
      const scaler = {
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } },
      }
      const v1 = { ...scaler, apiVersion: 'autoscaling/v1' }
      const message = 'autoscaling/v1.HorizontalPodAutoscaler'
      const created = await send('POST', `/apis/autoscaling/v1/${scalers}`, pack(message, v1))
      t.match(unpack(message, created.body), v1)
      const v2 = await send('GET', `/apis/autoscaling/v2/${scalers}/web`)
      t.match(unpack('autoscaling/v2.HorizontalPodAutoscaler', v2.body), {
        ...scaler,
        apiVersion: 'autoscaling/v2',
      })

      const sets = '/apis/apps/v1/namespaces/default/replicasets'
      const labels = { app: 'web' }
      const set = {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
        },
      }
      t.equal((await send('POST', sets, pack('apps/v1.ReplicaSet', set))).status, 201)
      const scale = unpack('autoscaling/v1.Scale', (await send('GET', `${sets}/web/scale`)).body)
      t.match(scale, { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } })
      const larger = pack('autoscaling/v1.Scale', { ...(scale as JsonObject), spec: { replicas: 5 } })
      const scaled = await send('PUT', `${sets}/web/scale`, larger)
      t.match(unpack('autoscaling/v1.Scale', scaled.body), { spec: { replicas: 5 } })
    })

    await t.test('watches', async (t) => {
      await send('POST', maps, pack(configMap, mapOf('seen')))
      const target = `${maps}?watch=1&fieldSelector=metadata.name%3Dseen&allowWatchBookmarks=true`
      const query = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
      const watch = await watchFrames(server, names, target + query, configMap, `${type};stream=watch`)
      t.equal(watch.contentType, `${type};stream=watch`)
      const start = await watch.until(({ type }) => type === 'BOOKMARK')
      t.match(start, [
        { type: 'ADDED', object: { ...mapOf('seen'), metadata: { name: 'seen' } } },
        {
          type: 'BOOKMARK',
          object: {
            kind: 'ConfigMap',
            metadata: { annotations: { [`${names.groupDomain}/initial-events-end`]: 'true' } },
          },
        },
      ])
      const merge = { 'content-type': 'application/merge-patch+json' }
      await send('PATCH', `${maps}/seen`, Buffer.from('{"data":{"k":"w"}}'), merge)
      await send('DELETE', `${maps}/seen`)
      const rest = await watch.until(({ type }) => type === 'DELETED')
      t.match(rest.slice(2), [
        { type: 'MODIFIED', object: { data: { k: 'w' } } },
        { type: 'DELETED', object: { metadata: { name: 'seen' } } },
      ])
      watch.close()
    })

    await t.test('a watch of metadata alone, and one that falls back', async (t) => {
      const partial = `${type};as=PartialObjectMetadata;g=${names.metaGroup};v=v1`
      const target = `${maps}?watch=1&fieldSelector=metadata.name%3Dform`
      const alone = await watchFrames(server, names, target, 'meta/v1.PartialObjectMetadata', partial)
      t.match(await alone.until(() => true), [
        { type: 'ADDED', object: { kind: 'PartialObjectMetadata', apiVersion: `${names.metaGroup}/v1` } },
      ])
      alone.close()
      const plain = await server.watch({
        method: 'GET',
        target,
        headers: { accept: `${type};as=Table;g=${names.metaGroup};v=v1,application/json` },
      })
      t.match(await plain.next(), { type: 'ADDED', object: { kind: 'ConfigMap' } })
      plain.close()
    })
  })
}

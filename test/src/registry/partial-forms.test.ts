/** Metadata alone, and what watches take: forms that do not fit what was asked for. */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'

const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'

t.test('forms that do not fit', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const partial = (as: string, type = 'application/json') => `${type};as=${as};g=meta.k8s.io;v=v1`
  const [namespaces, roles] = ['/api/v1/namespaces', '/apis/rbac.authorization.k8s.io/v1/clusterroles']
  for (const [accept, target, told] of [
    [
      partial('PartialObjectMetadata'),
      namespaces,
      'you requested PartialObjectMetadata, but the requested object is a list (*core.NamespaceList)',
    ],
    [
      partial('PartialObjectMetadata'),
      roles,
      'you requested PartialObjectMetadata, but the requested object is a list (*rbac.ClusterRoleList)',
    ],
    [
      partial('PartialObjectMetadataList'),
      `${namespaces}/default`,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Namespace)',
    ],
    [partial('PartialObjectMetadata'), `${namespaces}/default`, 'PartialObjectMetadata'],
    [partial('PartialObjectMetadataList'), namespaces, 'PartialObjectMetadataList'],
    [partial('PartialObjectMetadataList'), `${namespaces}/none`, 'namespaces "none" not found'],
    [
      partial('Table', 'application/yaml'),
      `${namespaces}?watch=1`,
      `only the following media types are accepted: ${streams}`,
    ],
    [
      partial('Table', 'application/vnd.kubernetes.protobuf'),
      `${namespaces}?watch=1`,
      `only the following media types are accepted: ${types}`,
    ],
    ['text/html', namespaces, `only the following media types are accepted: ${types}`],
  ] as const) {
    const { body } = await server.request({ method: 'GET', target, headers: { accept } })
    const { kind, message } = JSON.parse(body.toString())
    t.equal(message ?? kind, told, `${accept} ${target}`)
  }
})

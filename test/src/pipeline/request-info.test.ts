/** Source: specification, "Path shapes", "Authorization" (verb mapping). */

import t from 'tap'
import { parseRequestInfo } from '../../../src/pipeline/request-info.ts'

function describe(line: string, watching = false): string {
  const [method = '', path = ''] = line.split(' ')
  const parsed = parseRequestInfo(method, path, watching)
  if (!parsed.ok) return 'bad path'
  const info = parsed.value
  if (info.type === 'nonResource') return `${info.verb} ${info.path}`
  const { verb, group, version, namespace, resource, name, subresource, rest } = info
  return `${verb} ${group}|${version}|${namespace}|${resource}|${name}|${subresource}${rest.map((one) => `|${one}`).join('')}`
}

t.test('paths and verbs', (t) => {
  for (const [line, expected] of [
    ['GET /api/v1/pods', 'list |v1||pods||'],
    ['GET /api/v1/namespaces', 'list |v1||namespaces||'],
    ['GET /api/v1/namespaces/a', 'get |v1||namespaces|a|'],
    ['PUT /api/v1/namespaces/a/finalize', 'update |v1||namespaces|a|finalize'],
    ['GET /api/v1/namespaces/a/status', 'get |v1||namespaces|a|status'],
    ['GET /api/v1/namespaces/a/pods', 'list |v1|a|pods||'],
    ['GET /api/v1/namespaces/a/pods/', 'list |v1|a|pods||'],
    ['HEAD /api/v1/namespaces/a/pods/p', 'get |v1|a|pods|p|'],
    ['GET /api/v1/namespaces/a/pods/p/log', 'get |v1|a|pods|p|log'],
    ['GET /api/v1/namespaces/a/pods/p/proxy/x/y', 'get |v1|a|pods|p|proxy|x|y'],
    ['POST /apis/apps/v1/namespaces/a/deployments', 'create apps|v1|a|deployments||'],
    ['PATCH /apis/apps/v1/namespaces/a/deployments/d/scale', 'patch apps|v1|a|deployments|d|scale'],
    ['DELETE /api/v1/nodes/n', 'delete |v1||nodes|n|'],
    ['DELETE /api/v1/nodes', 'deletecollection |v1||nodes||'],
    ['BREW /api/v1/nodes', 'undefined |v1||nodes||'],
    ['GET /api/v1/nodes/a%2Fb', 'get |v1||nodes|a/b|'],
    ['GET /api', 'get /api'],
    ['GET /api/v1', 'get /api/v1'],
    ['GET /apis/apps', 'get /apis/apps'],
    ['GET /apis/apps/v1', 'get /apis/apps/v1'],
    ['HEAD /healthz', 'get /healthz'],
    ['POST /', 'post /'],
    ['GET /a%20b', 'get /a b'],
    ['GET /api/v1/%', 'bad path'],
    ['GET /api/v1/%FF', 'bad path'],
  ] as const) {
    t.equal(describe(line), expected, line)
  }
  t.equal(describe('GET /api/v1/pods', true), 'watch |v1||pods||')
  t.equal(describe('GET /api/v1/nodes/n', true), 'watch |v1||nodes|n|')
  t.equal(describe('GET /api/v1/watch/namespaces/ns/pods'), 'watch |v1|ns|pods||')
  t.equal(describe('GET /apis/apps/v1/watch/deployments'), 'watch apps|v1||deployments||')
  t.equal(describe('GET /api/v1/watch/nodes/n'), 'watch |v1||nodes|n|')
  t.equal(describe('POST /api/v1/watch/nodes'), 'create |v1||watch|nodes|')
  t.end()
})

/** Failures in the words that clients of 1.30 know, to the letter: some parse them, and people search for them. */

import t from 'tap'
import { requestTimeout } from '../../../src/status/failures.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess } from '../../support/in-process-server.ts'

const server = await startInProcess()
t.teardown(() => server.close())

const maps = '/api/v1/namespaces/default/configmaps'
const rows: readonly (readonly [line: string, type: string, body: string, code: number, said: string])[] = [
  [
    `POST ${maps}`,
    'text/plain',
    '{}',
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
  [
    `PATCH ${maps}/x`,
    'text/plain',
    '{}',
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
  ],
  [`GET ${maps}?limit=1&continue=x`, '', '', 400, 'invalid continue token: continue key is not valid'],
  ['GET /api/v1/unknown', '', '', 404, 'the server could not find the requested resource'],
  [
    `POST ${maps}/x`,
    'application/json',
    '{}',
    405,
    'the server does not allow this method on the requested resource',
  ],
  [`GET ${maps}/absent`, '', '', 404, 'configmaps "absent" not found'],
]

t.test('(request → code, message)', async (t) => {
  for (const [line, type, body, code, said] of rows) {
    const [method = '', target = ''] = line.split(' ')
    const { status, body: answer } = await exchangeWith(server.api.handler, {
      method,
      target,
      headers: { authorization: `Bearer ${adminToken}`, ...(type === '' ? {} : { 'content-type': type }) },
      ...(body === '' ? {} : { body: Buffer.from(body) }),
    }).answered
    const { message } = JSON.parse(answer.toString())
    t.same([status, message], [code, said], line)
  }
})

t.test('what took too long', (t) => {
  t.equal(requestTimeout.message, 'Timeout: request did not complete within the allotted timeout')
  t.end()
})

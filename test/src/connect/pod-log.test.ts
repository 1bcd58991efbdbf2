/** pods/log over an agent of a node that answers over real TLS. */

import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { NodeAgentOptions } from '../../../src/connect/node-agents.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { credential } from '../../support/in-process-server.ts'
import { createTestAuthority } from '../../support/tls-service.ts'
import { type Backend, files, pods, startScene, until } from './scene.ts'

async function startCluster(
  t: Test,
  agent: Required<Backend>['request'],
  agents: Partial<NodeAgentOptions> = {},
) {
  const { server, seen } = await startScene(t, { request: agent }, { agents })
  return {
    server,
    seen,
    async read(parameters = '', name = 'single') {
      const target = `${pods}/${name}/log${parameters === '' ? '' : `?${parameters}`}`
      const { status, body } = await server.request({ method: 'GET', target })
      return { status, text: body.toString('utf8') }
    },
  }
}

const says =
  (text: string, status = 200): Required<Backend>['request'] =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' })
    response.end(text)
  }

t.test('what is passed on', async (t) => {
  const { server, seen, read } = await startCluster(t, says('one\ntwo\n'))
  const answer = await server.request({ method: 'GET', target: `${pods}/single/log` })
  t.equal(answer.status, 200)
  t.equal(answer.body.toString('utf8'), 'one\ntwo\n')
  t.equal(answer.headers['content-type'], 'text/plain')

  const rows: readonly [parameters: string, pod: string, asked: string][] = [
    ['', 'single', '/containerLogs/default/single/main'],
    ['container=b', 'several', '/containerLogs/default/several/b'],
    ['container=setup&previous=true', 'several', '/containerLogs/default/several/setup?previous=true'],
    [
      'follow=1&timestamps=true&tailLines=0&limitBytes=9',
      'single',
      '/containerLogs/default/single/main?follow=true&timestamps=true&tailLines=0&limitBytes=9',
    ],
    ['follow=false&sinceSeconds=3', 'single', '/containerLogs/default/single/main?sinceSeconds=3'],
    [
      'sinceTime=2024-01-02T03:04:05.6%2B01:00',
      'single',
      '/containerLogs/default/single/main?sinceTime=2024-01-02T02%3A04%3A05Z',
    ],
  ]
  for (const [parameters, name, asked] of rows) {
    t.same(await read(parameters, name), { status: 200, text: 'one\ntwo\n' }, asked)
    t.equal(seen.at(-1), `GET ${asked}`)
  }

  await t.test('a pod that is nowhere yet has written nothing', async (t) => {
    const before = seen.length
    t.same(await read('', 'waiting'), { status: 204, text: '' })
    t.equal(seen.length, before)
  })

  const refused: readonly [parameters: string, pod: string, status: number, message: string][] = [
    ['', 'absent', 404, 'pods "absent" not found'],
    ['', 'lost', 404, 'nodes "nowhere" not found'],
    [
      '',
      'several',
      400,
      'a container name must be specified for pod several, choose one of: [a b] or one of the init containers: [setup]',
    ],
    ['container=c', 'several', 400, 'container c is not valid for pod several'],
    [
      'tailLines=-1',
      'single',
      422,
      'PodLogOptions "single" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'limitBytes=0',
      'single',
      422,
      'PodLogOptions "single" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    ],
    [
      'sinceSeconds=1&sinceTime=2024-01-02T03:04:05Z',
      'single',
      422,
      'PodLogOptions "single" is invalid: <nil>: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['tailLines=few', 'single', 400, 'the query parameter tailLines is "few", expected a whole number'],
    ['sinceTime=noon', 'single', 400, 'sinceTime is "noon", expected a time as of RFC 3339'],
  ]
  for (const [parameters, name, status, message] of refused) {
    const found = await read(parameters, name)
    t.equal(found.status, status, found.text)
    t.equal(JSON.parse(found.text).message, message)
  }
})

t.test('what the agent refuses', async (t) => {
  let said: [text: string, status: number] = ['', 200]
  const { read } = await startCluster(t, (request, response) => says(...said)(request, response))
  const rows: readonly [text: string, status: number, reason: string | undefined, message: string][] = [
    ['not started', 400, 'BadRequest', 'not started'],
    [
      'no',
      401,
      'Unauthorized',
      'the server has asked for the client to provide credentials ( pods/log single)',
    ],
    ['not you', 403, 'Forbidden', 'not you ( pods/log single)'],
    ['gone', 404, 'NotFound', 'the server could not find the requested resource ( pods/log single)'],
    ['broken', 500, 'InternalError', 'Internal error occurred: broken'],
    [
      'full',
      503,
      'InternalError',
      'an error on the server ("full") has prevented the request from succeeding ( pods/log single)',
    ],
    [
      'tea',
      418,
      undefined,
      'the server responded with the status code 418 but did not return more information ( pods/log single)',
    ],
  ]
  for (const [text, status, reason, message] of rows) {
    said = [text, status]
    const found = await read()
    t.equal(found.status, status)
    const shown = JSON.parse(found.text)
    t.same([shown.reason, shown.message], [reason, message])
  }
})

t.test('an agent that cannot be reached, or is not who it should be', async (t) => {
  const stranger = await createTestAuthority('another-ca')
  const agent = says('log')
  const trusted = await startCluster(t, agent, { addressTypes: ['ExternalIP'] })
  t.match(JSON.parse((await trusted.read()).text), {
    code: 500,
    message: 'no preferred addresses found; known addresses: [InternalIP Hostname]',
  })

  files.set('/other.crt', stranger.ca.certificate)
  const doubted = await startCluster(t, agent, { caFile: '/other.crt' })
  const refused = JSON.parse((await doubted.read()).text)
  t.equal(refused.code, 500)
  t.equal(refused.reason, undefined)
  t.match(
    refused.message,
    /^GET "https:\/\/localhost:\d+\/containerLogs\/default\/single\/main": localhost:\d+ cannot be reached: (UNABLE|SELF)/,
  )
  t.same(await doubted.read('insecureSkipTLSVerifyBackend=true'), { status: 200, text: 'log' })

  const unnamed = await startCluster(t, agent, { caFile: undefined })
  t.same(await unnamed.read(), { status: 200, text: 'log' }, 'without a CA any certificate will do')

  const absent = await startCluster(t, agent, { caFile: '/absent.crt' })
  t.match(JSON.parse((await absent.read()).text), {
    code: 500,
    message: 'the files of --kubelet-*: /absent.crt does not exist',
  })
})

t.test('a log that is followed', async (t) => {
  const open: ServerResponse[] = []
  let closed = 0
  const { server } = await startCluster(t, (_request, response) => {
    open.push(response)
    response.once('close', () => closed++)
    response.write('first\n')
  })
  const follow = () =>
    exchangeWith(server.api.handler, {
      method: 'GET',
      target: `${pods}/single/log?follow=true`,
      headers: credential('admin'),
    })

  await t.test('comes as it is written', async (t) => {
    const reader = follow()
    await until(() => reader.text() === 'first\n')
    open.at(-1)?.write('second\n')
    await until(() => reader.text() === 'first\nsecond\n')
    open.at(-1)?.end()
    t.match(await reader.answered, { status: 200, complete: true })
  })
  await t.test('is let go of with the client', async (t) => {
    const before = closed
    const reader = follow()
    await until(() => reader.text() === 'first\n')
    t.equal(server.api.inFlight().watches, 1)
    reader.disconnect()
    await until(() => closed === before + 1)
    t.same(server.api.inFlight(), { requests: 0, watches: 0 })
  })
  await t.test('ends with the server', async (t) => {
    const reader = follow()
    await until(() => reader.text() === 'first\n')
    await server.api.close()
    t.match(await reader.answered, { status: 200 })
  })
})

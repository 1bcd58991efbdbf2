/** Bytes that a request allocates on the JavaScript heap, from behind the transport to the disk, in one process. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { configMap } from '../../bench/client/request.ts'
import { systemClock } from '../../store/clock.ts'
import { openMember } from '../../store/member/open.ts'
import { clientOf, cronTab, cronTabs, establish } from '../src/crd/serving/crontabs.ts'
import { startInProcess } from '../support/in-process-server.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const cronTabsPath = '/apis/stable.example.com/v1/namespaces/default/crontabs'
const objectBytes = 1024
/** Enough for V8 to compile what runs often; the optimised code allocates less. */
const warm = 1500
const counted = 200

const directory = mkdtempSync(join(tmpdir(), 'apiserver-costs-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const member = await openMember({ dataDir: directory, clock: systemClock })
assert(member.ok)
const server = await startInProcess({ store: member.value.store })
let collections = 0
/** Collections while bytes were counted. */
let counting = 0
new PerformanceObserver((list) => {
  collections += list.getEntries().length
}).observe({ entryTypes: ['gc'] })
let sequence = 0

async function send(method: string, target: string, body?: string, type = 'application/json'): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': type, 'user-agent': 'bench' }
  const { status } = await server.request({
    method,
    target,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  assert(status < 300, `${method} ${target}: ${status}`)
}

const requests = {
  create: () => send('POST', collection, configMap(`c-${sequence++}`, objectBytes)),
  patch: () =>
    send(
      'PATCH',
      `${collection}/c-${sequence % 100}`,
      `{"data":{"counter":"${sequence++}"}}`,
      'application/merge-patch+json',
    ),
  get: () => send('GET', `${collection}/c-${sequence++ % 100}`),
  createCustom: () => send('POST', cronTabsPath, paddedCronTab(`t-${sequence++}`)),
  getCustom: () => send('GET', `${cronTabsPath}/t-${firstCustom + (sequence++ % 100)}`),
}

/** As long as the ConfigMap, with three fields that a schema judges. */
function paddedCronTab(name: string): string {
  const of = (image: string): string =>
    JSON.stringify(cronTab(name, { spec: { cronSpec: '* * * * */5', image, replicas: 3 } }))
  return of('x'.repeat(objectBytes - of('').length))
}

async function bytesOf(request: () => Promise<void>): Promise<number> {
  for (let i = 0; i < warm; i++) await request()
  assert(globalThis.gc !== undefined)
  globalThis.gc()
  // What is told of the collections of the warm-up comes in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const collectionsBefore = collections
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < counted; i++) await request()
  const bytes = process.memoryUsage().heapUsed - before
  await new Promise((resolve) => setTimeout(resolve, 50))
  counting += collections - collectionsBefore
  return Math.round(bytes / counted)
}

const create = await bytesOf(requests.create)
const patch = await bytesOf(requests.patch)
const get = await bytesOf(requests.get)
await establish(clientOf(server), cronTabs())
const firstCustom = sequence
const createCustom = await bytesOf(requests.createCustom)
const getCustom = await bytesOf(requests.getCustom)
process.send?.({ create, patch, get, createCustom, getCustom, collections: counting }, () => process.exit(0))

/**
 * pods/log: what a container has written, as the agent of its node tells it, passed on while it comes.
 *
 * Source: specification, "Path shapes" (pod `log`).
 */

import { fail, ok } from '../../store/contract.ts'
import type { StreamedAnswer } from '../outside/outside.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { StreamOwner } from '../pipeline/stream.ts'
import {
  type ApiRequest,
  type Checked,
  type Machinery,
  objectName,
  type ResourceRoute,
} from '../registry/machinery.ts'
import type { StreamRegister } from '../registry/watch.ts'
import { badRequest, internalError, notFound } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { readApiFailure } from '../storage/failures.ts'
import { parseObject } from '../storage/record.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { containerOf } from './container.ts'
import type { NodeAgents } from './node-agents.ts'
import { passOn } from './pass-on.ts'
import { readPodLogOptions } from './pod-log-options.ts'

interface PodLogParts {
  readonly machinery: Machinery
  readonly agents: NodeAgents
  readonly register: StreamRegister
}

export async function readPodLog(
  route: ResourceRoute,
  request: ApiRequest,
  { machinery, agents, register }: PodLogParts,
): Promise<Outcome> {
  const { namespace, name } = objectName(request)
  const options = readPodLogOptions(request.query, name)
  if (!options.ok) return options
  const pod = await currentPod(route, request)
  if (!pod.ok) return pod
  const { container, passedOn, insecureSkipTLSVerifyBackend } = options.value
  const chosen = containerOf(pod.value, container)
  if (!chosen.ok) return chosen
  const nodeName = textAt(objectAt(pod.value, 'spec'), 'nodeName')
  // Not scheduled: nothing has been written, nor is there anybody to ask.
  if (nodeName === '')
    return ok({ type: 'body', code: 204, contentType: 'text/plain', body: Buffer.alloc(0) })
  const node = await nodeNamed(nodeName, machinery)
  if (!node.ok) return node
  const path = ['containerLogs', namespace, name, chosen.value].map(encodeURIComponent).join('/')
  const query = passedOn.size === 0 ? '' : `?${passedOn}`
  const answer = await agents.open(node.value, `/${path}${query}`, insecureSkipTLSVerifyBackend)
  if (!answer.ok) return answer
  if (answer.value.status < 200 || answer.value.status > 206)
    return fail(await refusalOf(answer.value, 'pods/log', name))
  const passing = new Passing(answer.value, register)
  const stream = request.openStream({ 'Content-Type': 'text/plain' }, passing)
  void passOn(answer.value.body, stream)
  return ok({ type: 'streaming', code: 200 })
}

/** Whichever ends first, the stream or the server, ends the answer behind it. */
class Passing implements StreamOwner {
  readonly #answer: StreamedAnswer
  readonly #register: StreamRegister

  constructor(answer: StreamedAnswer, register: StreamRegister) {
    this.#answer = answer
    this.#register = register
    register.add(this)
  }

  close(): void {
    this.#answer.abort()
  }

  onStreamEnd(): void {
    this.#register.remove(this)
    this.#answer.abort()
  }
}

async function currentPod(route: ResourceRoute, request: ApiRequest): Promise<Checked<ApiObject>> {
  const found = await route.storage.get(objectName(request), { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  if (found.value === undefined) return fail(notFound(route.ref, request.info.name))
  return ok(parseObject(found.value))
}

async function nodeNamed(name: string, { types, storage }: Machinery): Promise<Checked<ApiObject>> {
  const ref = { group: '', resource: 'nodes' }
  const nodes = types.resource('', 'v1', 'nodes')?.storage
  if (nodes === undefined) return fail(notFound(ref, name))
  const found = await storage.resource(nodes).get({ namespace: '', name }, { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  return found.value === undefined ? fail(notFound(ref, name)) : ok(parseObject(found.value))
}

/** Of what an agent says when it refuses, no more is read. */
const refusalBytesMax = 50_000

async function refusalOf(answer: StreamedAnswer, resource: string, name: string): Promise<ApiFailure> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= refusalBytesMax) break
  }
  answer.abort()
  const text = Buffer.concat(chunks).subarray(0, refusalBytesMax).toString('utf8')
  const where = `( ${resource} ${name})`
  const { status } = answer
  switch (status) {
    case 400:
      return badRequest(text)
    case 401:
      return {
        reason: 'Unauthorized',
        message: `the server has asked for the client to provide credentials ${where}`,
      }
    case 403:
      return { reason: 'Forbidden', message: `${text} ${where}` }
    case 404:
      return { reason: 'NotFound', message: `the server could not find the requested resource ${where}` }
    case 500:
      return internalError(text)
    default:
      return {
        reason: 'InternalError',
        ...(status >= 500 ? {} : { saidReason: '' }),
        code: status,
        message:
          status > 500
            ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding ${where}`
            : `the server responded with the status code ${status} but did not return more information ${where}`,
      }
  }
}

/**
 * pods/log: what a container has written, as the agent of its node tells it, passed on while it comes.
 *
 * Source: specification, "Path shapes" (pod `log`).
 */

import { fail, ok } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { type ApiRequest, objectName } from '../registry/machinery.ts'
import type { ConnectParts } from './connection.ts'
import { containerOf } from './container.ts'
import { find, nodeNameOf } from './lookup.ts'
import { passOn } from './passing.ts'
import { readPodLogOptions } from './pod-log-options.ts'
import { refusalOf } from './refusal.ts'

export async function readPodLog(
  request: ApiRequest,
  { machinery, agents, register }: ConnectParts,
): Promise<Outcome> {
  const { namespace, name } = objectName(request)
  const options = readPodLogOptions(request.query, name)
  if (!options.ok) return options
  const pod = await find('pods', { namespace, name }, machinery)
  if (!pod.ok) return pod
  const { container, passedOn, insecureSkipTLSVerifyBackend } = options.value
  const chosen = containerOf(pod.value, container)
  if (!chosen.ok) return chosen
  const nodeName = nodeNameOf(pod.value)
  // Nothing has been written, nor is there anybody to ask.
  if (nodeName === '')
    return ok({ type: 'body', code: 204, contentType: 'text/plain', body: Buffer.alloc(0) })
  const node = await find('nodes', { namespace: '', name: nodeName }, machinery)
  if (!node.ok) return node
  const path = ['containerLogs', namespace, name, chosen.value].map(encodeURIComponent).join('/')
  const query = passedOn.size === 0 ? '' : `?${passedOn}`
  const ask = { method: 'GET', target: `/${path}${query}` }
  const answer = await agents.open(node.value, ask, insecureSkipTLSVerifyBackend)
  if (!answer.ok) return answer
  if (answer.value.status < 200 || answer.value.status > 206)
    return fail(await refusalOf(answer.value, 'pods/log', name))
  return passOn(request, answer.value, { 'Content-Type': 'text/plain' }, register)
}

/** Checks of `authorizers[].webhook`; match conditions are compiled here. Source: specification, "Authorization" 6. */

import { posix } from 'node:path'
import { type AuthorizationWebhookSettings, requestEnvironment } from '../authz/webhook/settings.ts'
import { cel, type Program } from '../cel/expression.ts'
import type { JsonObject } from '../json.ts'
import { parseDuration } from '../pipeline/duration.ts'
import { duplicate, invalidValue, notSupported, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { compileRule } from '../types/validation/expression.ts'
import { objectIn, objectsIn, textIn } from './config-file.ts'

const authorizedTtlMs = 300_000
const unauthorizedTtlMs = 30_000
const timeoutMsMax = 30_000
const conditionsMax = 64

/** Adds what is wrong to `causes`; the result counts only where nothing is. */
export function checkWebhook(
  name: string,
  webhook: JsonObject,
  path: string,
  causes: Cause[],
): AuthorizationWebhookSettings {
  return {
    name,
    authorizedTtlMs: ttl(webhook, 'authorizedTTL', authorizedTtlMs, path, causes),
    unauthorizedTtlMs: ttl(webhook, 'unauthorizedTTL', unauthorizedTtlMs, path, causes),
    timeoutMs: timeout(textIn(webhook, 'timeout'), `${path}.timeout`, causes),
    version: oneOf(webhook, 'subjectAccessReviewVersion', ['v1', 'v1beta1'] as const, path, causes),
    failurePolicy: oneOf(webhook, 'failurePolicy', ['NoOpinion', 'Deny'] as const, path, causes),
    kubeconfigFile: kubeconfig(objectIn(webhook, 'connectionInfo'), `${path}.connectionInfo`, causes),
    matchConditions: conditions(webhook, path, causes),
  }
}

function ttl(webhook: JsonObject, field: string, standard: number, path: string, causes: Cause[]): number {
  const text = textIn(webhook, field)
  if (text === '') return standard
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0) causes.push(invalidValue(`${path}.${field}`, text, 'must be > 0s'))
  return ms ?? standard
}

function timeout(text: string, field: string, causes: Cause[]): number {
  if (text === '') {
    causes.push(required(field))
    return timeoutMsMax
  }
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0 || ms > timeoutMsMax)
    causes.push(invalidValue(field, text, 'must be > 0s and <= 30s'))
  return ms ?? timeoutMsMax
}

function oneOf<const T extends string>(
  webhook: JsonObject,
  name: string,
  supported: readonly [T, ...T[]],
  path: string,
  causes: Cause[],
): T {
  const text = textIn(webhook, name)
  const found = supported.find((one) => one === text)
  if (found !== undefined) return found
  const field = `${path}.${name}`
  causes.push(text === '' ? required(field) : notSupported(field, text, supported))
  return supported[0]
}

function kubeconfig(info: JsonObject, path: string, causes: Cause[]): string {
  const [type, file] = [textIn(info, 'type'), textIn(info, 'kubeConfigFile')]
  if (type === '') causes.push(required(`${path}.type`))
  else if (type === 'InClusterConfig')
    causes.push(invalidValue(`${path}.type`, type, 'is not allowed for the server itself'))
  else if (type !== 'KubeConfig' && type !== 'KubeConfigFile')
    causes.push(notSupported(`${path}.type`, type, ['InClusterConfig', 'KubeConfig', 'KubeConfigFile']))
  else if (file === '') causes.push(required(`${path}.kubeConfigFile`))
  else if (!posix.isAbsolute(file))
    causes.push(invalidValue(`${path}.kubeConfigFile`, file, 'must be an absolute path'))
  return file
}

function conditions(webhook: JsonObject, path: string, causes: Cause[]): readonly Program[] {
  oneOf(webhook, 'matchConditionSubjectAccessReviewVersion', ['v1'], path, causes)
  const given = objectsIn(webhook, 'matchConditions')
  const list = `${path}.matchConditions`
  if (given.length > conditionsMax) {
    causes.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${given.length}: must have at most ${conditionsMax} items`,
      field: list,
    })
    return []
  }
  const programs: Program[] = []
  const seen = new Set<string>()
  for (const [at, condition] of given.entries()) {
    const field = `${list}[${at}].expression`
    const source = textIn(condition, 'expression')
    if (source.trim() === '') causes.push(required(field))
    else if (seen.has(source)) causes.push(duplicate(field, source))
    else {
      const program = compileRule(source, requestEnvironment, cel.bool, field, causes)
      if (program !== undefined) programs.push(program)
    }
    seen.add(source)
  }
  return programs
}
